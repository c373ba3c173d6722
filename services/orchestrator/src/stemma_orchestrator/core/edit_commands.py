"""Changes of any section at any time: write, edit, keep, regenerate, restore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.staleness import ChangedUpstream, UpstreamVersion
from stemma_document.proposal_state import Proposed
from stemma_document.staleness import stale_causes, staleness
from stemma_document.state import (
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
from stemma_document.versions import is_a_persons, next_version, upstream_versions

from .commands import Edit, EditCommand, Keep, Regenerate, RequestMeta, Restore, Write


def decide_edit(command: EditCommand, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    """The event of a change, or the refusal that names the reason."""
    if command.version != section.current_number:
        return e.RefusedOldVersion(**refusal, version=command.version, current_version=section.current_number)
    if section.current is None and not isinstance(command, Write):
        return e.RefusedNothingWritten(**refusal)
    match command:
        case Write():
            return _write(command, document, section)
        case Edit():
            return _edit(command, document, section, refusal)
        case Keep():
            return _keep(command, document, section, refusal)
        case Regenerate():
            return _regenerate(command, section, refusal)
        case Restore():
            return _restore(command, section, refusal)
        case _:
            assert_never(command)


def by(asked: RequestMeta) -> dict[str, Any]:
    """The fields that say whose request led to an event."""
    return {
        "request_id": asked.request_id,
        "request_digest": asked.digest,
        "actor": asked.actor,
        "actor_verified": asked.verified,
    }


def _write(command: Write, document: Document, section: Section) -> e.AnyEvent:
    """A person's text wins over whatever is being done to the section."""
    return e.SectionEdited(
        **by(command.asked),
        section_id=command.section_id,
        version=next_version(section, command.draft),
        draft=command.draft,
        origin=Origin.WRITTEN,
        upstream=section.current.upstream if section.current else upstream_versions(document, section),
    )


def _edit(command: Edit, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    """An instruction applies to the last version; one at a time, so that none is lost."""
    if isinstance(section.phase, Revising):
        return e.RefusedByStatus(**refusal, status=status_of(section.phase))
    if section.proposal is not None:
        made = isinstance(section.proposal, Proposed)
        return e.RefusedOpenProposal(**refusal, proposal_id=section.proposal.proposal_id, made=made)
    result = _result_of_edit(section)
    if result == "reviewed" and section.revisions >= section.plan.max_revisions:
        return e.RefusedRevisionLimit(**refusal, max_revisions=section.plan.max_revisions)
    return e.SectionEditRequested(
        **by(command.asked),
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


def _keep(command: Keep, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    stale = staleness(document)
    if _is_being_made(section):
        return e.RefusedByStatus(**refusal, status=status_of(section.phase))
    if command.section_id not in stale:
        return e.RefusedNotStale(**refusal)
    return kept(command, document)


def kept(command: Keep, document: Document) -> e.SectionKept:
    """The section rests on the upstream versions of now, also of those that are stale themselves."""
    section, causes = document.sections[command.section_id], stale_causes(document)
    return e.SectionKept(
        **by(command.asked),
        section_id=command.section_id,
        version=command.version,
        accepted=tuple(_accepted(upstream, causes) for upstream in upstream_versions(document, section)),
    )


def _accepted(upstream: UpstreamVersion, causes: Mapping[str, tuple[ChangedUpstream, ...]]) -> UpstreamVersion:
    because = causes.get(upstream.section_id, ())
    return upstream.model_copy(update={"stale": bool(because), "stale_because": because})


def _regenerate(command: Regenerate, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    """Supersedes a waiting review; what a person made is replaced only if the request says so."""
    if _is_being_made(section):
        return e.RefusedByStatus(**refusal, status=status_of(section.phase))
    current = section.current
    if current is not None and is_a_persons(current) and not command.replace_edited:
        return e.RefusedReplacesEdit(**refusal, version=current.number, origin=current.origin)
    return e.SectionRegenerationRequested(
        **by(command.asked), section_id=command.section_id, version=command.version, guidance=command.guidance
    )


def _restore(command: Restore, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    earlier = {version.number: version for version in section.versions[:-1]}
    if command.restore_version not in earlier:
        return e.RefusedUnknownVersion(**refusal, restore_version=command.restore_version)
    draft = earlier[command.restore_version].draft
    return e.SectionRestored(
        **by(command.asked),
        section_id=command.section_id,
        version=next_version(section, draft),
        restored_version=command.restore_version,
        draft=draft,
    )


def _is_being_made(section: Section) -> bool:
    return isinstance(section.phase, Working | AwaitingAnswer | Queued)
