"""What an event has to tell, and which rules want to hear of it: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma_contracts.v1 import events
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.summary import DocumentSummary

MOST_SECTIONS = 100
_OF_PEOPLE = ("question", "upload")


@dataclass(frozen=True)
class Happening:
    """One thing that somebody may want to hear of."""

    occasion: Occasion
    sections: tuple[str, ...] = ()
    version: int | None = None


def happenings(event: AnyEvent) -> tuple[Happening, ...]:
    """What an event has to tell; most have nothing."""
    stale = tuple(mark.section_id for mark in event.makes_stale[:MOST_SECTIONS])
    return (*_of_itself(event), *((Happening(Occasion.STALE, stale),) if stale else ()))


def _of_itself(event: AnyEvent) -> tuple[Happening, ...]:
    match event:
        case events.SectionReviewRequested(section_id=section, version=version):
            return (Happening(Occasion.WAITING, (section,), version),)
        case events.SectionNeedRaised(section_id=section, need=need) if need.kind in _OF_PEOPLE:
            return (Happening(Occasion.WAITING, (section,)),)
        case events.SectionEditProposed(section_id=section, version=version):
            return (Happening(Occasion.WAITING, (section,), version),)
        case events.DocumentCompleted():
            return (Happening(Occasion.FINISHED),)
        case events.SectionFailure(section_id=section):
            return (Happening(Occasion.FAILED, (section,)),)
        case events.DocumentFailed() | events.ExportFailed() | events.ExportJobDead():
            return (Happening(Occasion.FAILED),)
        case _:
            return ()


def first_wanted(rule: NotificationRule, document_id: str, told: Sequence[Happening]) -> Happening | None:
    """What a rule makes of an event, if anything; an event is told once by a rule."""
    if rule.document_ids and document_id not in rule.document_ids:
        return None
    return next((one for one in told if one.occasion in rule.on), None)


def is_of_kind(rule: NotificationRule, document: DocumentSummary) -> bool:
    """Whether a rule is about documents of this kind."""
    return not rule.kinds or document.kind in rule.kinds
