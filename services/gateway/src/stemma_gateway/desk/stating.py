"""A fact that is changed wherever it stands: its places are shown, and those that are ticked are changed together."""

from collections.abc import Iterable, Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from stemma_client import DocumentView
from stemma_client.facts import Stated, places_of
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ChangeFact

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session

from .forms import DOCUMENT, REFUSED, ask, fields_of, whole_number
from .shell import shown, title_of

PAGE = f"{DOCUMENT}/fact"
AROUND, MOST_WORDS = 80, 150
Words = Annotated[str, Query(max_length=MOST_WORDS)]
router = APIRouter(route_class=PageRoute)


@router.get(PAGE)
async def show_fact(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    written: Words = "",
    instead: Words = "",
    at_least: AtLeast = 0,
    done: bool = False,
) -> Response:
    """Each place of some words. Nothing is changed by it."""
    document = await document_of(session, document_id, at_least)
    return await _page(request, session, document, {"written": written, "instead": instead}, done=done)


@router.post(PAGE)
async def change(request: Request, session: Caller, document_id: DocumentId) -> Response:
    fields = await fields_of(request)
    words = {name: dict(fields).get(name, "") for name in ("written", "instead")}
    try:
        sections = list(_sections(value for name, value in fields if name == "place"))
        asked = {"document_id": document_id, "sections": sections, **words}
        answer = await ask(session, ChangeFact.model_validate(asked))
    except REFUSED as error:
        return await _page(request, session, await document_of(session, document_id), words, error)
    query = urlencode(words | {"done": "true", "at_least": answer.sequence or 0})
    return led_to(request, f"{PAGE.format(document_id=document_id)}?{query}")


def _sections(ticked: Iterable[str]) -> Iterable[Mapping[str, object]]:
    """The places by section, of values such as ``offer/3/120``: its version, and where the words begin."""
    found = dict[tuple[str, int], list[int]]()
    for value in ticked:
        section_id, *numbers = value.split("/")
        match [whole_number(number) for number in numbers]:
            case [int(version), int(start)]:
                found.setdefault((section_id, version), []).append(start)
            case _:
                raise Invalid(Problem.of("fact_not_there", "place"))
    for (section_id, version), starts in found.items():
        yield {"section_id": section_id, "version": version, "places": starts}


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    words: Mapping[str, str],
    error: Exception | None = None,
    *,
    done: bool = False,
) -> Response:
    found: tuple[Stated, ...] = ()
    if words["written"].strip() and len(words["written"]) <= MOST_WORDS:
        found = await places_of(session.client, document, words["written"])
    title = await title_of(session.client, document)
    about = {"document": document, "title": title, "found": found, "around": AROUND, "done": done, **words}
    return shown(request, session, "fact.html", error=error, **about)
