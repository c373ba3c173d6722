"""What people made of the text of a section, which no machine that writes it anew takes away."""

from collections.abc import Sequence
from dataclasses import dataclass

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.references import ArtifactRef

from .commands import Merged
from .features.proposals import Proposed
from .state import Document, Section, open_job_id
from .texts import AnyTextEvent, next_version


class UnmergedDraft(Exception):
    """A draft came for a text with people's words, and nobody merged it: the message has to be handled again."""


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


def with_merge(events: Sequence[e.AnyEvent], document: Document, merged: Merged | None) -> Sequence[e.AnyEvent]:
    """The events, in which a draft that would take the place of people's words is the merged one."""
    return [
        _merged_draft(event, document, merged) if isinstance(event, e.SectionDrafted) else event for event in events
    ]


def _merged_draft(event: e.SectionDrafted, document: Document, merged: Merged | None) -> e.SectionDrafted:
    section = document.sections[event.section_id]
    if hand_of(section) is None:
        return event
    if merged is None:
        raise UnmergedDraft(event.section_id)
    about = {"draft": merged.draft, "version": next_version(section, merged.draft), "merge": merged.merge}
    return event.model_copy(update=about)


def with_waiting_edit(events: Sequence[e.AnyEvent], document: Document, merged: Merged | None) -> Sequence[e.AnyEvent]:
    """The events, in which an edit that waits is a change of the newer text, as far as anything of it is left."""
    texts = {event.section_id: event.draft for event in events if isinstance(event, AnyTextEvent)}
    if merged is None or any(isinstance(event, e.SectionDrafted) for event in events):
        return events
    return [
        _waiting(event, texts[event.section_id], merged)
        if isinstance(event, e.SectionEditVoided) and _proposed(document, event) == merged.merge.theirs
        else event
        for event in events
    ]


def _proposed(document: Document, event: e.SectionEditVoided) -> ArtifactRef | None:
    proposal = document.sections[event.section_id].proposal
    return proposal.draft if isinstance(proposal, Proposed) else None


def _waiting(voided: e.SectionEditVoided, text: ArtifactRef, merged: Merged) -> e.AnyEvent:
    if merged.draft.digest == text.digest:
        return voided
    return e.SectionEditMerged(
        section_id=voided.section_id,
        proposal_id=voided.proposal_id,
        version=voided.current_version,
        base_digest=text.digest,
        draft=merged.draft,
        merge=merged.merge,
    )
