"""Decisions about several sections: about all of them, each after those that it rests on, or about none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import SeenVersion

from stemma_domain.commands import RequestCommand, not_decidable, refused
from stemma_domain.evolve import evolve
from stemma_domain.hooks import Feature
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, Lifecycle

from .editing import EditCommand, Keep, Regenerate, change, kept


@dataclass(frozen=True)
class KeepSeveral(RequestCommand):
    """Keep all of these sections, or none."""

    request = requests.KeepSections
    sections: tuple[SeenVersion, ...]


@dataclass(frozen=True)
class RegenerateSeveral(RequestCommand):
    """Have all of these sections written anew, or none."""

    request = requests.RegenerateSections
    sections: tuple[SeenVersion, ...]
    guidance: ArtifactRef | None
    replace_edited: bool


Several = KeepSeveral | RegenerateSeveral

_Decide = Callable[[SeenVersion, Document], e.AnyEvent]


def decide(command: Several, document: Document) -> Sequence[e.AnyEvent]:
    """The events of a decision about several sections, or what keeps it from being made."""
    refusal = refused(command)
    if document.lifecycle is Lifecycle.CANCELLED:
        return [e.RefusedByDocumentStatus(**refusal, document_status=document.lifecycle)]
    one = _keep(command, document) if isinstance(command, KeepSeveral) else _regenerate(command)
    decided = _decided(_in_order(document, command.sections), one, document)
    refusals = {
        seen.section_id: event.model_copy(update={"request": refusal["request"]})
        for seen, event in decided
        if isinstance(event, e.DecisionRefused)
    }
    if not refusals:
        return [event for _, event in decided]
    return [
        refusals[seen.section_id].model_copy(update={"position": position})
        for position, seen in enumerate(command.sections)
        if seen.section_id in refusals
    ]


def _decided(sections: Iterable[SeenVersion], one: _Decide, document: Document) -> list[tuple[SeenVersion, e.AnyEvent]]:
    """Each decision on what the ones before it made of the document."""
    decided: list[tuple[SeenVersion, e.AnyEvent]] = []
    for seen in sections:
        event = one(seen, document)
        decided.append((seen, event))
        if not isinstance(event, e.DecisionRefused):
            after = evolve(document, event)
            assert isinstance(after, Document)
            document = after
    return decided


def _keep(command: KeepSeveral, document: Document) -> _Decide:
    """A section that is fresh because another was kept by the same request was kept as well."""
    stale = staleness(document)

    def keep(seen: SeenVersion, now: Document) -> e.AnyEvent:
        one = Keep(command.asked, seen.section_id, seen.version)
        event = _decide_one(one, now)
        if isinstance(event, e.RefusedNotStale) and seen.section_id in stale:
            return kept(one, now)
        return event

    return keep


def _regenerate(command: RegenerateSeveral) -> _Decide:
    def regenerate(seen: SeenVersion, now: Document) -> e.AnyEvent:
        one = Regenerate(command.asked, seen.section_id, seen.version, command.guidance, command.replace_edited)
        return _decide_one(one, now)

    return regenerate


def _decide_one(command: EditCommand, document: Document) -> e.AnyEvent:
    return not_decidable(command, document) or change(command, document)


def _in_order(document: Document, sections: tuple[SeenVersion, ...]) -> list[SeenVersion]:
    """Upstream before downstream; a section that the document does not have comes last."""
    rests_on = {name: section.plan.depends_on for name, section in document.sections.items()}
    order = {name: place for place, name in enumerate(TopologicalSorter(rests_on).static_order())}
    return sorted(sections, key=lambda seen: order.get(seen.section_id, len(order)))


FEATURE = Feature[Several](commands=(KeepSeveral, RegenerateSeveral), decide=decide)
