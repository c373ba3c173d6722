"""What people made of the text of a section, which no machine that writes it anew takes away."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.references import ArtifactRef

from .commands import Command, Merged
from .features.proposals import Proposed, Proposing
from .state import Document, Section, open_job_id
from .texts import AnyTextEvent, next_version


class UnmergedDraft(Exception):
    """A text that is there, or waits, was not known when texts were merged: the message has to be handled again."""


@dataclass(frozen=True)
class Hand:
    """What a new draft is merged with.

    ``base`` is the last text that is a machine's alone, None where a person wrote first; ``ours`` is the current one.
    ``steps`` are the texts before and after each change that people made since they were last asked for leave.
    """

    base: ArtifactRef | None
    ours: ArtifactRef
    steps: tuple[tuple[ArtifactRef | None, ArtifactRef], ...]


def hand_of(section: Section) -> Hand | None:
    """None where no word is a person's, or where a person said that they may go."""
    current = section.current
    if current is None or not current.is_a_persons or section.replaceable:
        return None
    first = max((place for place, one in enumerate(section.versions) if not one.is_a_persons), default=-1)
    before = section.versions[first].draft if first >= 0 else None
    since = section.versions[first + 1 :]
    texts = (before, *(version.draft for version in since))
    return Hand(
        base=next((version.merge.theirs for version in reversed(since) if version.merge), before),
        ours=current.draft,
        steps=tuple((was, one.draft) for was, one in zip(texts, since, strict=False) if not one.renewed),
    )


def hand_at(document: Document, job_id: str) -> Hand | None:
    """The hand of the section that a job writes."""
    sections = document.sections.values()
    return next((hand_of(section) for section in sections if open_job_id(section.phase) == job_id), None)


def changed_at(document: Document, job_id: str) -> tuple[ArtifactRef, ArtifactRef] | None:
    """The version that a job changes, and the text that people gave the section since; None where there is no other."""
    for section in document.sections.values():
        proposal, current = section.proposal, section.current
        if isinstance(proposal, Proposing) and proposal.job_id == job_id and current is not None:
            before = next(one.draft for one in section.versions if one.number == proposal.version)
            return (before, current.draft) if proposal.version != current.number else None
    return None


def with_merge(events: Sequence[e.AnyEvent], document: Document, merged: Merged | None) -> Sequence[e.AnyEvent]:
    """The events, in which what a machine wrote for a text that people changed is merged with what they wrote."""
    return [one for event in events for one in _with_merge(event, document, merged)]


def _with_merge(event: e.AnyEvent, document: Document, merged: Merged | None) -> Sequence[e.AnyEvent]:
    match event:
        case e.SectionDrafted():
            return [_merged_draft(event, document, merged)]
        case e.SectionEditProposed():
            return _merged_edit(event, document, merged)
        case _:
            return [event]


def _merged_draft(event: e.SectionDrafted, document: Document, merged: Merged | None) -> e.SectionDrafted:
    section = document.sections[event.section_id]
    if hand_of(section) is None:
        return event
    if merged is None:
        raise UnmergedDraft(event.section_id)
    about = {"draft": merged.draft, "version": next_version(section, merged.draft), "merge": merged.merge}
    return event.model_copy(update=about)


def _merged_edit(event: e.SectionEditProposed, document: Document, merged: Merged | None) -> Sequence[e.AnyEvent]:
    """An edit of an earlier version, as a change of the text that a person gave meanwhile."""
    current = document.sections[event.section_id].current
    if current is None or current.number == event.version:
        return [event]
    if merged is None or merged.ours != current.draft:
        raise UnmergedDraft(event.section_id)
    about = {"version": current.number, "base_digest": current.draft.digest}
    told = event.model_copy(update={**about, "draft": merged.draft, "merge": merged.merge})
    if merged.draft.digest != current.draft.digest:
        return [told]
    name, number = event.section_id, current.number
    void = e.SectionEditVoided(
        section_id=name, proposal_id=event.proposal_id, version=event.version, current_version=number
    )
    return [told, void]


def with_waiting_edits(events: Sequence[e.AnyEvent], document: Document, command: Command) -> Sequence[e.AnyEvent]:
    """The events, in which an edit that waits is a change of the newer text, as far as anything of it is left."""
    texts = {event.section_id: event.draft for event in events if isinstance(event, AnyTextEvent)}
    edits = {(one.ours, one.merge.theirs.digest): one for one in command.waiting}
    return [
        _waiting(event, text, edits.get((text, _proposed(document, event, command.seen))))
        if isinstance(event, e.SectionEditVoided) and (text := texts.get(event.section_id))
        else event
        for event in events
    ]


def _proposed(document: Document, event: e.SectionEditVoided, seen: Collection[str] | None) -> str:
    proposal = document.sections[event.section_id].proposal
    if not isinstance(proposal, Proposed):
        return ""
    if seen is not None and proposal.draft.digest not in seen:
        raise UnmergedDraft(event.section_id)
    return proposal.draft.digest


def _waiting(voided: e.SectionEditVoided, text: ArtifactRef, merged: Merged | None) -> e.AnyEvent:
    if merged is None or merged.draft.digest == text.digest:
        return voided
    return e.SectionEditMerged(
        section_id=voided.section_id,
        proposal_id=voided.proposal_id,
        version=voided.current_version,
        base_digest=text.digest,
        draft=merged.draft,
        merge=merged.merge,
    )
