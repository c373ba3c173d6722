"""Decisions about several sections: about all of them, each after those that it rests on, or about none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from graphlib import TopologicalSorter

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import SeenVersion
from stemma_document.evolve import evolve
from stemma_document.staleness import staleness
from stemma_document.state import Document, Lifecycle

from .commands import Keep, KeepSeveral, Regenerate, RegenerateSeveral, Several
from .edit_commands import by, kept
from .review_commands import decide_section, request_name

_Decide = Callable[[SeenVersion, Document], e.AnyEvent]


def decide_several(command: Several, document: Document) -> Sequence[e.AnyEvent]:
    """The events of a decision about several sections, or what keeps it from being made."""
    name = request_name(command)
    if document.lifecycle is Lifecycle.CANCELLED:
        status = document.lifecycle
        return [e.RefusedByDocumentStatus(**by(command.asked), request=name, document_status=status)]
    one = _keep(command, document) if isinstance(command, KeepSeveral) else _regenerate(command)
    decided = _decided(_in_order(document, command.sections), one, document)
    refused = {
        seen.section_id: event.model_copy(update={"request": name})
        for seen, event in decided
        if isinstance(event, e.DecisionRefused)
    }
    if not refused:
        return [event for _, event in decided]
    return [
        refused[seen.section_id].model_copy(update={"position": position})
        for position, seen in enumerate(command.sections)
        if seen.section_id in refused
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
        event = decide_section(one, now)
        if isinstance(event, e.RefusedNotStale) and seen.section_id in stale:
            return kept(one, now)
        return event

    return keep


def _regenerate(command: RegenerateSeveral) -> _Decide:
    def regenerate(seen: SeenVersion, now: Document) -> e.AnyEvent:
        one = Regenerate(command.asked, seen.section_id, seen.version, command.guidance, command.replace_edited)
        return decide_section(one, now)

    return regenerate


def _in_order(document: Document, sections: tuple[SeenVersion, ...]) -> list[SeenVersion]:
    """Upstream before downstream; a section that the document does not have comes last."""
    rests_on = {name: section.plan.depends_on for name, section in document.sections.items()}
    order = {name: place for place, name in enumerate(TopologicalSorter(rests_on).static_order())}
    return sorted(sections, key=lambda seen: order.get(seen.section_id, len(order)))
