"""Jobs and their outcomes: ids that are derived, what every job says, and what all kinds of outcomes have in common."""

from collections.abc import Iterable
from typing import TypedDict, assert_never

from stemma_contracts import registry
from stemma_contracts.base import filled_from
from stemma_contracts.media import SHOWN
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.usage import Usage

from stemma_domain.features.inputs.material import brief_file, evidence_of, internal_of, pictures_of
from stemma_domain.state import Document, Section, Tries

GENERATE = "generate"
REVISE = "revise"
RESUME = "resume"
VALIDATE = "validate"
EVALUATE = "evaluate"
CONVERT = "convert"
READ_INPUT = "read"
EXTRACT = "extract"
PROPOSE = "propose"
FILL = "fill"
COMPARE = "compare"
ERASE = "erase"


def job_id(document: Document, job: str, target: str) -> str:
    """The id of a job: document, number of the event that opened it, job name, section or export."""
    return f"{document.document_id}.{document.number}.{job}.{target}"


class Grounds(TypedDict):
    """Where the claims of a draft may stand: inputs, brief, the sections that it rests on, and what people said."""

    brief: ArtifactRef
    brief_file: InputFile | None
    inputs: tuple[InputFile, ...]
    upstream: tuple[UpstreamDraft, ...]
    said: tuple[ArtifactRef, ...]
    instructions: tuple[ArtifactRef, ...]
    internal: tuple[InputFile, ...]


class Recorded(TypedDict):
    """Under which names the model calls of a job, and of earlier tries, are recorded."""

    recorded_as: str
    recorded_before: tuple[str, ...]


def head_of(document: Document) -> DocumentHead:
    """What every job says of its document."""
    return filled_from(DocumentHead, document)


def images_of(document: Document, compared: tuple[InputFile, ...] = ()) -> tuple[InputFile, ...]:
    """The images among the inputs, and those that came with a section's draft: they go first.

    Those that came with ``compared`` versions go before all.
    """
    inputs = pictures_of(document)
    drafts = (asset for section in document.sections.values() if section.current for asset in section.current.images)
    return tuple({image.name: image for image in (*inputs, *drafts, *compared)}.values())


def recorded(tries: Tries) -> Recorded:
    """What the tries at one writing leave to its job."""
    return Recorded(recorded_as=tries.recorded_as, recorded_before=tries.before)


def rests_on(section: Section) -> tuple[UpstreamVersion, ...]:
    """The upstream versions that the current version rests on."""
    return section.current.rests_on if section.current else ()


def grounds(document: Document, versions: tuple[UpstreamVersion, ...]) -> Grounds:
    """The fields of a validation that say where claims may stand; ``versions`` are those that the draft rests on."""
    return Grounds(
        brief=document.brief,
        brief_file=brief_file(document),
        inputs=tuple(item for item in evidence_of(document, with_forms=True) if item.artifact.media_type not in SHOWN),
        upstream=upstream_drafts(document, _with_theirs(document, versions)),
        said=document.said,
        instructions=document.instructions,
        internal=internal_of(document),
    )


def upstream_drafts(document: Document, versions: Iterable[UpstreamVersion]) -> tuple[UpstreamDraft, ...]:
    """The drafts of upstream versions; some may not be written yet."""
    return tuple(
        UpstreamDraft(
            section_id=upstream.section_id,
            title=document.sections[upstream.section_id].plan.title,
            version=upstream.version,
            draft=_draft_of(document.sections[upstream.section_id], upstream.version),
        )
        for upstream in versions
        if upstream.version > 0
    )


def _with_theirs(document: Document, versions: tuple[UpstreamVersion, ...]) -> tuple[UpstreamVersion, ...]:
    """Versions and those that they rest on themselves, each once, the nearer first."""
    found: dict[tuple[str, int], UpstreamVersion] = {}
    waiting = list(versions)
    while waiting:
        upstream = waiting.pop(0)
        key = upstream.section_id, upstream.version
        if key in found:
            continue
        found[key] = upstream
        section = document.sections[upstream.section_id]
        waiting += [
            own for version in section.versions if version.number == upstream.version for own in version.rests_on
        ]
    return tuple(found.values())


def _draft_of(section: Section, number: int) -> ArtifactRef:
    return next(version.draft for version in section.versions if version.number == number)


def revision(
    document: Document, section: Section, job_id: str, instruction: ArtifactRef, tries: Tries, number: int
) -> j.ReviseDraft:
    """A change of the version with this number."""
    version = next(one for one in section.versions if one.number == number)
    return j.ReviseDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=number,
        draft=version.draft,
        instruction=instruction,
        brief=document.brief,
        upstream=upstream_drafts(document, version.rests_on),
        report=version.validation.report if version.validation else None,
        **recorded(tries),
    )


Failure = (
    o.ModelUnavailable
    | o.AnswerMalformed
    | o.ContextTooLong
    | o.InputsMissing
    | o.RoleAnalysisMissing
    | o.NoRoleLeft
    | o.ThreadLost
    | o.JobDead
)


class UnfittingOutcome(TypeError):
    """A worker answered an open job with an outcome of another job's kind: a bug, not a business case."""


class Settled(TypedDict):
    section_id: str
    job_id: str


class Paid(Settled):
    """The same, with what the job cost."""

    usage: Usage


class _Details(Paid):
    activity: Activity
    status: SectionStatus
    detail: str
    proposal_id: str | None


def settled(outcome: o.Outcome, section: Section) -> Settled:
    return Settled(section_id=section.plan.section_id, job_id=outcome.job_id)


def paid(outcome: o.Outcome, section: Section) -> Paid:
    """The same, with what it cost."""
    return Paid(section_id=section.plan.section_id, job_id=outcome.job_id, usage=outcome.usage)


def unfitting(outcome: o.Outcome) -> UnfittingOutcome:
    return UnfittingOutcome(f"{registry.entry_of(outcome).ce_type} does not fit the job {outcome.job_id}")


def failed(
    outcome: Failure, section: Section, activity: Activity, status: SectionStatus, proposal_id: str | None = None
) -> e.AnyFailure:
    """The event of a job that ended without a result, and the status that it leaves the section in."""
    details = _Details(
        **paid(outcome, section), activity=activity, status=status, detail=outcome.detail, proposal_id=proposal_id
    )
    match outcome:
        case o.ModelUnavailable():
            return e.SectionModelUnavailable(**details)
        case o.AnswerMalformed():
            return e.SectionAnswerMalformed(**details)
        case o.ContextTooLong():
            return e.SectionContextTooLong(
                **details, prompt_tokens=outcome.prompt_tokens, context_tokens=outcome.context_tokens
            )
        case o.InputsMissing():
            return e.SectionInputsMissing(**details, missing=outcome.missing)
        case o.RoleAnalysisMissing():
            return e.SectionRoleAnalysisMissing(**details, processing_metadata=outcome.processing_metadata)
        case o.NoRoleLeft():
            return e.SectionNoRoleLeft(**details, processing_metadata=outcome.processing_metadata)
        case o.ThreadLost():
            return e.SectionThreadLost(**details)
        case o.JobDead():
            return e.SectionJobDead(**details)
        case _:
            assert_never(outcome)
