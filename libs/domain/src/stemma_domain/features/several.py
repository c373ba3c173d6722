"""Decisions about several sections: about all of them, each after those that it rests on, or about none."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter
from typing import assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem

from stemma_domain.commands import Asked, not_decidable, of_document, old_version, refused, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.sections import section_applied
from stemma_domain.state import Document, Lifecycle

from .editing import EditRequest, change, kept

SeveralRequest = r.KeepSections | r.RegenerateSections | r.ChangeFact
_Decide = Callable[[r.SeenVersion, Document], e.AnyEvent]


def decide(command: Asked[SeveralRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The events of a decision about several sections, or what keeps it from being made."""
    request = command.request
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    decided = _decided(_in_order(document, request.sections), _one(command, document), document)
    refusals = {seen.section_id: event for seen, event in decided if isinstance(event, e.DecisionRefused)}
    if not refusals:
        return [event for _, event in decided]
    return [
        refused(command, _at(position, refusal.problem), refusal.section_id)
        for position, seen in enumerate(request.sections)
        if (refusal := refusals.get(seen.section_id))
    ]


def _one(command: Asked[SeveralRequest], document: Document) -> _Decide:
    match command.request:
        case r.KeepSections():
            return _keep(command, document)
        case r.RegenerateSections() as request:
            return _regenerate(command, request)
        case r.ChangeFact() as request:
            return _change_fact(command, request)
        case _:
            assert_never(command.request)


def _at(position: int, problem: Problem) -> Problem:
    if problem.field not in r.FactPlaces.model_fields:
        return problem
    return problem.model_copy(update={"field": f"sections.{position}.{problem.field}"})


def _decided(
    sections: Iterable[r.SeenVersion], one: _Decide, document: Document
) -> list[tuple[r.SeenVersion, e.AnyEvent]]:
    decided: list[tuple[r.SeenVersion, e.AnyEvent]] = []
    for seen in sections:
        event = one(seen, document)
        decided.append((seen, event))
        if isinstance(event, e.AnySectionEvent):
            document = replace(section_applied(document, event), number=document.number + 1)
    return decided


def _of_one(command: Asked[SeveralRequest], request: EditRequest) -> Asked[EditRequest]:
    return Asked(request, command.asked, command.time, command.stored)


def _keep(command: Asked[SeveralRequest], document: Document) -> _Decide:
    """A section that is fresh because another was kept by the same request was kept as well."""

    def keep(seen: r.SeenVersion, now: Document) -> e.AnyEvent:
        about = {"document_id": command.request.document_id, **seen.model_dump()}
        one = _of_one(command, r.KeepSection.model_validate(about))
        event = _decide_one(one, document)
        return event if isinstance(event, e.DecisionRefused) else kept(one, now)

    return keep


def _regenerate(command: Asked[SeveralRequest], request: r.RegenerateSections) -> _Decide:
    def regenerate(seen: r.SeenVersion, now: Document) -> e.AnyEvent:
        about = {"document_id": request.document_id, "replace_edited": request.replace_edited, **seen.model_dump()}
        return _decide_one(_of_one(command, r.RegenerateSection.model_validate(about)), now)

    return regenerate


def _change_fact(command: Asked[SeveralRequest], request: r.ChangeFact) -> _Decide:
    """What is stored by the id of a section is its text with the other words; without it they do not stand there."""

    def changed(seen: r.SeenVersion, now: Document) -> e.AnyEvent:
        about = {"document_id": request.document_id, "section_id": seen.section_id, "version": seen.version}
        stored = command.stored.get(seen.section_id)
        edit = r.EditSection.model_validate(about | {"text": request.instead})
        one = Asked[EditRequest](edit, command.asked, command.time, {"text": stored} if stored else {})
        if refusal := not_decidable(one, now) or old_version(one, now.sections[seen.section_id].current_number):
            return refusal
        return change(one, now) if stored else refused_section(one, Problem.of("fact_not_there", "places"))

    return changed


def _decide_one(command: Asked[EditRequest], document: Document) -> e.AnyEvent:
    return not_decidable(command, document) or change(command, document)


def _in_order(document: Document, sections: tuple[r.SeenVersion, ...]) -> list[r.SeenVersion]:
    """Upstream before downstream; a section that the document does not have comes last."""
    rests_on = {name: section.plan.depends_on for name, section in document.sections.items()}
    order = {name: place for place, name in enumerate(TopologicalSorter(rests_on).static_order())}
    return sorted(sections, key=lambda seen: order.get(seen.section_id, len(order)))


FEATURE = Feature[Asked[SeveralRequest]](requests=get_args(SeveralRequest), decide=decide)
