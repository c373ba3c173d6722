"""What is told of a section and decides nothing: who asked, since when it waits, what went wrong last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.references import ArtifactRef

from .persons import NOBODY, Person, person_of


@dataclass(frozen=True)
class StaleSince:
    """The event that made a section stale: its time, its sequence in the stream, and the section that it is about.

    ``cause`` is None if the event is about the document.
    """

    since: datetime | None = None
    sequence: int = 0
    cause: str | None = None


@dataclass(frozen=True)
class LastFailure:
    """The last failure; one ``aside`` was that of a check or of an edit that was to be proposed."""

    event: e.SectionFailure
    aside: bool


@dataclass(frozen=True)
class Notes:
    """Notes on a section. ``asker`` asked for the last edit or revision; ``refusal`` says why one was not made."""

    asker: Person = NOBODY
    lint_round: int = 0
    refusal: ArtifactRef | None = None
    failure: LastFailure | None = None
    waits_since: datetime | None = None
    stale: StaleSince | None = None


NO_NOTES = Notes()


def notes_after(notes: Notes, event: e.AnySectionEvent, at: datetime | None, *, aside: bool) -> Notes:
    """The notes after an event about the section; ``aside`` says that it left the section's phase alone."""
    match event:
        case e.SectionDrafted() | e.SectionRevised() | e.SectionEdited() | e.SectionRestored():
            return _begun_anew(notes)
        case e.SectionRegenerationRequested() | e.SectionEditRequested(result="proposed"):
            return _begun_anew(notes)
        case e.SectionRevisionRequested() | e.SectionEditRequested():
            return replace(_begun_anew(notes), asker=person_of(event))
        case e.SectionRetried():
            return replace(notes, failure=None)
        case e.SectionFailure():
            return replace(notes, failure=LastFailure(event, aside))
        case e.SectionRevisionRefused():
            return replace(notes, refusal=event.reason)
        case e.SectionLintFailed():
            return replace(notes, lint_round=event.round)
        case e.SectionReviewRequested() | e.SectionNeedRaised():
            return replace(notes, waits_since=at)
        case e.SectionApproved() | e.SectionKept() | e.SectionChecked() | e.SectionNeedAnswered():
            return notes
        case e.SectionEditProposed() | e.SectionEditChecked() | e.SectionEditRejected() | e.SectionEditVoided():
            return notes
        case _:
            assert_never(event)


def _begun_anew(notes: Notes) -> Notes:
    return replace(notes, failure=None, refusal=None)


def queued(notes: Notes) -> Notes:
    """The notes on a section that a cycle queues."""
    return _begun_anew(notes)


def started(notes: Notes) -> Notes:
    """The notes on a section that begins to be written."""
    return replace(notes, failure=None, lint_round=0)
