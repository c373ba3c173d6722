"""What people said about a document: their words are a ground for what is written after them."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef

MOST = 200
"""A job carries the latest words only; 200 references are about 50 KB."""


def with_words(said: tuple[ArtifactRef, ...], event: e.AnyEvent) -> tuple[ArtifactRef, ...]:
    """The words of people after an event, the latest last, the same words once."""
    words = _words(event)
    if words is None or words in said:
        return said
    return (*said, words)[-MOST:]


def _words(event: e.AnyEvent) -> ArtifactRef | None:
    match event:
        case e.SectionRegenerationRequested():
            return event.guidance
        case e.SectionRevisionRequested():
            return event.feedback
        case e.SectionEditRequested():
            return event.instruction
        case e.SectionNeedAnswered() if event.answered_by == "person":
            return event.answer
        case e.SectionEdited() if event.origin is Origin.WRITTEN:
            return event.draft
        case e.RevisionCycleStarted() if event.asked_by == "person":
            return event.feedback
        case _:
            return None
