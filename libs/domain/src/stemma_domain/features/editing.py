"""Editing: people write, have edited, keep, regenerate and restore any section at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.staleness import ChangedUpstream, UpstreamVersion

from stemma_domain.commands import VersionCommand, by_status, old_version, refused
from stemma_domain.features.inputs.material import input_versions
from stemma_domain.hooks import Feature, Task
from stemma_domain.job_ids import REVISE
from stemma_domain.job_parts import rests_on, revision
from stemma_domain.outcomes import Failure, Paid, failed, paid, unfitting
from stemma_domain.staleness import stale_causes, staleness
from stemma_domain.state import (
    Approved,
    AwaitingAnswer,
    Document,
    Edited,
    Queued,
    Revising,
    Section,
    Working,
    status_of,
)
from stemma_domain.texts import is_a_persons, next_version, upstream_versions

from .proposals import Proposed


@dataclass(frozen=True)
class Write(VersionCommand):
    """Give a section the text of a person; ``version`` 0: nothing was written yet."""

    request = requests.EditSection
    draft: ArtifactRef
    images: tuple[InputFile, ...] = ()


@dataclass(frozen=True)
class Edit(VersionCommand):
    """Ask the editor agent for a change of any section, at any time."""

    request = requests.EditSection
    instruction: ArtifactRef


@dataclass(frozen=True)
class Keep(VersionCommand):
    request = requests.KeepSection


@dataclass(frozen=True)
class Regenerate(VersionCommand):
    request = requests.RegenerateSection
    guidance: ArtifactRef | None
    replace_edited: bool


@dataclass(frozen=True)
class Restore(VersionCommand):
    request = requests.RestoreSection
    restore_version: int


EditCommand = Write | Edit | Keep | Regenerate | Restore


def decide(command: EditCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a change, or the refusal that names the reason."""
    return [change(command, document)]


def change(command: EditCommand, document: Document) -> e.AnyEvent:
    """The same as one event."""
    section = document.sections[command.section_id]
    if refusal := old_version(command, section.current_number):
        return refusal
    if section.current is None and not isinstance(command, Write):
        return e.RefusedNothingWritten(**refused(command, command.section_id))
    match command:
        case Write():
            return _write(command, document, section)
        case Edit():
            return _edit(command, document, section)
        case Keep():
            return _keep(command, document, section)
        case Regenerate():
            return _regenerate(command, section)
        case Restore():
            return _restore(command, section)
        case _:
            assert_never(command)


def _write(command: Write, document: Document, section: Section) -> e.AnyEvent:
    """A person's text wins over whatever is being done to the section."""
    return e.SectionEdited(
        **command.asked,
        section_id=command.section_id,
        version=next_version(section, command.draft),
        draft=command.draft,
        origin=Origin.WRITTEN,
        upstream=section.current.upstream if section.current else upstream_versions(document, section),
        assets=command.images,
    )


def _edit(command: Edit, document: Document, section: Section) -> e.AnyEvent:
    """An instruction applies to the last version; one at a time, so that none is lost."""
    if isinstance(section.phase, Revising):
        return by_status(command, section)
    if section.proposal is not None:
        made = isinstance(section.proposal, Proposed)
        return e.RefusedOpenProposal(
            **refused(command, command.section_id), proposal_id=section.proposal.proposal_id, made=made
        )
    result = _result_of_edit(section)
    if result == "reviewed" and section.revisions >= section.plan.max_revisions:
        return e.RefusedRevisionLimit(**refused(command, command.section_id), max_revisions=section.plan.max_revisions)
    return e.SectionEditRequested(
        **command.asked,
        section_id=command.section_id,
        version=command.version,
        instruction=command.instruction,
        result=result,
        proposal_id=f"p{document.number + 1}" if result == "proposed" else None,
    )


def _result_of_edit(section: Section) -> Literal["settled", "reviewed", "proposed"]:
    """A person sees what the editor made before it counts: as a proposal where the text is settled, else in review."""
    if section.plan.review_edits == "none":
        return "settled"
    return "proposed" if isinstance(section.phase, Approved | Edited) else "reviewed"


def _keep(command: Keep, document: Document, section: Section) -> e.AnyEvent:
    stale = staleness(document)
    if _is_being_made(section):
        return by_status(command, section)
    if command.section_id not in stale:
        return e.RefusedNotStale(**refused(command, command.section_id))
    return kept(command, document)


def kept(command: Keep, document: Document) -> e.SectionKept:
    """The section rests on the upstream versions of now, also of those that are stale themselves."""
    section, causes = document.sections[command.section_id], stale_causes(document)
    return e.SectionKept(
        **command.asked,
        section_id=command.section_id,
        version=command.version,
        accepted=tuple(_accepted(upstream, causes) for upstream in upstream_versions(document, section)),
        inputs=input_versions(document),
    )


def _accepted(upstream: UpstreamVersion, causes: Mapping[str, tuple[ChangedUpstream, ...]]) -> UpstreamVersion:
    because = causes.get(upstream.section_id, ())
    return upstream.model_copy(update={"stale": bool(because), "stale_because": because})


def _regenerate(command: Regenerate, section: Section) -> e.AnyEvent:
    """Supersedes a waiting review; what a person made is replaced only if the request says so."""
    if _is_being_made(section):
        return by_status(command, section)
    current = section.current
    if current is not None and is_a_persons(current) and not command.replace_edited:
        return e.RefusedReplacesEdit(
            **refused(command, command.section_id), version=current.number, origin=current.origin
        )
    return e.SectionRegenerationRequested(
        **command.asked, section_id=command.section_id, version=command.version, guidance=command.guidance
    )


def _restore(command: Restore, section: Section) -> e.AnyEvent:
    earlier = {version.number: version for version in section.versions[:-1]}
    if command.restore_version not in earlier:
        return e.RefusedUnknownVersion(**refused(command, command.section_id), restore_version=command.restore_version)
    draft = earlier[command.restore_version].draft
    return e.SectionRestored(
        **command.asked,
        section_id=command.section_id,
        version=next_version(section, draft),
        restored_version=command.restore_version,
        draft=draft,
    )


def _is_being_made(section: Section) -> bool:
    return isinstance(section.phase, Working | AwaitingAnswer | Queued)


class _Result(Paid):
    version: int
    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance


def _revise(document: Document, section: Section, phase: Revising) -> j.ReviseDraft:
    return revision(document, section, phase.job_id, phase.instruction, phase.tries)


def _revised(document: Document, section: Section, phase: Revising, outcome: o.Outcome) -> e.AnyEvent:
    """An edit is settled at once, a revision goes back to its reviewer; without a result all is as it was before."""
    match outcome:
        case o.DraftRevised() if phase.edit:
            return e.SectionEdited(**_result(outcome, section), origin=Origin.EDITED, upstream=rests_on(section))
        case o.DraftRevised():
            return e.SectionRevised(**_result(outcome, section))
        case o.InstructionRefused():
            version = section.current_number
            return e.SectionRevisionRefused(**paid(outcome, section), version=version, reason=outcome.reason)
        case _ if isinstance(outcome, Failure):
            return failed(outcome, section, Activity.EDIT, status_of(phase.before))
        case _:
            raise unfitting(outcome)


def _result(outcome: o.DraftRevised, section: Section) -> _Result:
    return _Result(
        **paid(outcome, section),
        version=next_version(section, outcome.draft),
        draft=outcome.draft,
        summary=outcome.summary,
        provenance=outcome.provenance,
    )


REVISING = Task(_revise, _revised)
"""The editor agent is at work on the section."""

FEATURE = Feature[EditCommand](
    commands=(Write, Edit, Keep, Regenerate, Restore),
    decide=decide,
    phases={Revising: REVISING},
    job_owners={REVISE: subjects.EDITOR},
)
