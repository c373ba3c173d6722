"""What people made of the text of a section, which no machine that writes it anew takes away."""

from dataclasses import dataclass

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.references import ArtifactRef

from .commands import Merged
from .state import Document, Section, open_job_id
from .texts import next_version


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
        steps=tuple((was, one.draft) for was, one in zip(texts, since, strict=False) if one.merge is None),
    )


def hand_at(document: Document, job_id: str) -> Hand | None:
    """The hand of the section that a job writes."""
    sections = document.sections.values()
    return next((hand_of(section) for section in sections if open_job_id(section.phase) == job_id), None)


def with_merge(event: e.AnyEvent, document: Document, merged: Merged | None) -> e.AnyEvent:
    """The event of an outcome, whose draft is the merged one where it would take the place of people's words."""
    if not isinstance(event, e.SectionDrafted) or hand_of(document.sections[event.section_id]) is None:
        return event
    if merged is None:
        raise UnmergedDraft(event.section_id)
    number = next_version(document.sections[event.section_id], merged.draft)
    return event.model_copy(update={"draft": merged.draft, "version": number, "merge": merged.merge})
