"""Choosing words: a suggestion takes the place of what it quotes, single changes are taken back.

What comes of it is a text of the person who chooses. The edge makes it of what is stored; it gives none where the words
are not there.
"""

from collections.abc import Sequence
from typing import assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.provenance import Origin

from stemma_domain.commands import Asked, of_status, old_version, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import AwaitingAnswer, Document, Queued, Section, Working
from stemma_domain.texts import next_version

from .comments import problem_of_thread

TEXT = "text"
"""The text that comes of it, among what is stored."""
ChoosingRequest = r.AcceptSuggestion | r.TakeBackChanges


def decide(command: Asked[ChoosingRequest], document: Document) -> Sequence[e.AnyEvent]:
    request, section = command.request, document.sections[command.request.section_id]
    if refusal := old_version(command, section.current_number):
        return [refusal]
    if problem := _problem(command, section):
        return [refused_section(command, problem)]
    chosen = _chosen(command, section)
    match request:
        case r.AcceptSuggestion():
            name, thread = request.section_id, request.thread_id
            return [chosen, e.SectionThreadResolved(**command.asked, section_id=name, thread_id=thread)]
        case r.TakeBackChanges():
            return [chosen]
        case _:
            assert_never(request)


def _problem(command: Asked[ChoosingRequest], section: Section) -> Problem | None:
    request, is_there = command.request, TEXT in command.stored
    if isinstance(section.phase, Working | AwaitingAnswer | Queued):
        return of_status(section)
    match request:
        case r.AcceptSuggestion():
            gone = None if is_there else Problem.of("suggestion_outdated", "comment_id")
            return problem_of_thread(section, request.thread_id, resolved=False) or gone
        case r.TakeBackChanges(proposal_id=str(name)) if name != (section.proposal and section.proposal.proposal_id):
            return Problem.of("proposal_unknown", "proposal_id", proposal_id=name)
        case r.TakeBackChanges():
            return None if is_there else Problem.of("changes_outdated", "changes")
        case _:
            assert_never(request)


def _chosen(command: Asked[ChoosingRequest], section: Section) -> e.SectionEdited:
    draft = command.stored[TEXT]
    return e.SectionEdited(
        **command.asked,
        section_id=command.request.section_id,
        version=next_version(section, draft),
        draft=draft,
        origin=Origin.WRITTEN,
        upstream=section.current.rests_on if section.current else (),
    )


FEATURE = Feature[Asked[ChoosingRequest]](requests=get_args(ChoosingRequest), decide=decide)
