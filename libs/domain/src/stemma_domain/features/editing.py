"""Editing: people write, have edited, keep, regenerate and restore any section at any time."""

from collections.abc import Mapping, Sequence
from typing import Literal, assert_never

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.staleness import ChangedUpstream, UpstreamVersion

from stemma_domain.commands import Asked, of_status, old_version, refused_section
from stemma_domain.features.inputs.material import as_input, input_versions
from stemma_domain.hooks import Feature, Task
from stemma_domain.jobs import REVISE, Failure, failed, paid, rests_on, revision, unfitting
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
from stemma_domain.texts import next_version, upstream_versions

from .proposals import kept_edit, of_open

EditRequest = r.EditSection | r.KeepSection | r.RegenerateSection | r.RestoreSection


def decide(command: Asked[EditRequest], document: Document) -> Sequence[e.AnyEvent]:
    return [change(command, document)]


def change(command: Asked[EditRequest], document: Document) -> e.AnyEvent:
    request = command.request
    section = document.sections[request.section_id]
    if refusal := old_version(command, section.current_number):
        return refusal
    if isinstance(request, r.EditSection) and request.instruction is None:
        return _write(command, request, document, section)
    if section.current is None:
        return refused_section(command, Problem.of("nothing_written", "section_id"))
    match request:
        case r.EditSection():
            return _edit(command, document, section)
        case r.KeepSection():
            return _keep(command, document, section)
        case r.RegenerateSection():
            return _regenerate(command, request, section)
        case r.RestoreSection():
            return _restore(command, request, section)
        case _:
            assert_never(request)


def _write(command: Asked[EditRequest], request: r.EditSection, document: Document, section: Section) -> e.AnyEvent:
    """A person's text wins over whatever is being done to the section; what the editor agent changes is proposed."""
    draft = command.stored["text"]
    return e.SectionEdited(
        **command.asked,
        section_id=request.section_id,
        version=next_version(section, draft),
        draft=draft,
        origin=Origin.WRITTEN,
        upstream=section.current.rests_on if section.current else upstream_versions(document, section),
        assets=tuple(map(as_input, request.images)),
        keeps_edit=kept_edit(section, document.number + 1),
    )


def _edit(command: Asked[EditRequest], document: Document, section: Section) -> e.AnyEvent:
    """An instruction applies to the last version; one at a time, so that none is lost."""
    if isinstance(section.phase, Revising):
        return refused_section(command, of_status(section))
    if section.proposal is not None:
        return refused_section(command, of_open(section.proposal))
    result = _result_of_edit(section)
    if result == "reviewed" and section.revisions >= section.plan.max_revisions:
        limit = section.plan.max_revisions
        return refused_section(command, Problem.of("revision_limit", "section_id", max_revisions=limit))
    return e.SectionEditRequested(
        **command.asked,
        section_id=command.request.section_id,
        version=command.request.version,
        instruction=command.stored["instruction"],
        result=result,
        proposal_id=f"p{document.number + 1}" if result == "proposed" else None,
    )


def _result_of_edit(section: Section) -> Literal["settled", "reviewed", "proposed"]:
    """A person sees what the editor made before it counts: as a proposal where the text is settled, else in review."""
    if section.plan.review_edits == "none":
        return "settled"
    return "proposed" if isinstance(section.phase, Approved | Edited) else "reviewed"


def _keep(command: Asked[EditRequest], document: Document, section: Section) -> e.AnyEvent:
    stale = staleness(document)
    if _is_being_made(section):
        return refused_section(command, of_status(section))
    if command.request.section_id not in stale:
        return refused_section(command, Problem.of("section_not_stale", "section_id"))
    return kept(command, document)


def kept(command: Asked[EditRequest], document: Document) -> e.SectionKept:
    """The section rests on the upstream versions of now, also of those that are stale themselves."""
    name, causes = command.request.section_id, stale_causes(document)
    section = document.sections[name]
    return e.SectionKept(
        **command.asked,
        section_id=name,
        version=command.request.version,
        accepted=tuple(_accepted(upstream, causes) for upstream in upstream_versions(document, section)),
        inputs=input_versions(document),
    )


def _accepted(upstream: UpstreamVersion, causes: Mapping[str, tuple[ChangedUpstream, ...]]) -> UpstreamVersion:
    because = causes.get(upstream.section_id, ())
    return upstream.model_copy(update={"stale": bool(because), "stale_because": because})


def _regenerate(command: Asked[EditRequest], request: r.RegenerateSection, section: Section) -> e.AnyEvent:
    """Supersedes a waiting review; what a person made is replaced only if the request says so, else merged."""
    if _is_being_made(section):
        return refused_section(command, of_status(section))
    return e.SectionRegenerationRequested(
        **command.asked,
        section_id=request.section_id,
        version=request.version,
        guidance=command.stored.get("guidance"),
        merges=not request.replace_edited,
    )


def _restore(command: Asked[EditRequest], request: r.RestoreSection, section: Section) -> e.AnyEvent:
    earlier = {version.number: version for version in section.versions[:-1]}
    if request.restore_version not in earlier:
        about = "version_unknown", "restore_version"
        problem = Problem.of(*about, section_id=request.section_id, version=request.restore_version)
        return refused_section(command, problem)
    draft = earlier[request.restore_version].draft
    return e.SectionRestored(
        **command.asked,
        section_id=request.section_id,
        version=next_version(section, draft),
        restored_version=request.restore_version,
        draft=draft,
    )


def _is_being_made(section: Section) -> bool:
    return isinstance(section.phase, Working | AwaitingAnswer | Queued)


def _revise(document: Document, section: Section, phase: Revising) -> j.ReviseDraft:
    return revision(document, section, phase.job_id, phase.instruction, phase.tries, section.current_number)


def _revised(document: Document, section: Section, phase: Revising, outcome: o.Outcome) -> e.AnyEvent:
    """An edit is settled at once, a revision goes back to its reviewer; without a result all is as it was before."""
    match outcome:
        case o.DraftRevised() if phase.edit:
            about = {"origin": Origin.EDITED, "upstream": rests_on(section)}
            return filled_from(e.SectionEdited, outcome, **_result(outcome, section), **about)
        case o.DraftRevised():
            return filled_from(e.SectionRevised, outcome, **_result(outcome, section))
        case o.InstructionRefused():
            version = section.current_number
            return e.SectionRevisionRefused(**paid(outcome, section), version=version, reason=outcome.reason)
        case _ if isinstance(outcome, Failure):
            return failed(outcome, section, Activity.EDIT, status_of(phase.before))
        case _:
            raise unfitting(outcome)


def _result(outcome: o.DraftRevised, section: Section) -> dict[str, object]:
    return {**paid(outcome, section), "version": next_version(section, outcome.draft)}


REVISING = Task(_revise, _revised)
"""The editor agent is at work on the section."""

FEATURE = Feature[Asked[EditRequest]](
    requests=(r.EditSection, r.KeepSection, r.RegenerateSection, r.RestoreSection),
    decide=decide,
    phases={Revising: REVISING},
    job_owners={REVISE: subjects.EDITOR},
)
