"""Why something was not done is told on pages in the language of the browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from playwright.async_api import Browser, expect
from stemma_client import CopyIncompleteError, UnreadableEventError
from stemma_contracts.v1.answers import Problem
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import Invalid, NotFound, ProblemDetails, problem_of, response_of
from stemma_gateway.refusals import reasons, reasons_shown, title_of
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened, violations

from .conftest import PAGES, Caller
from .desk_pages import section, signed_in

pytestmark = pytest.mark.req("H4")
GERMAN = PAGES | {"Accept-Language": "de"}


def rejected(*problems: tuple[str, str]) -> ProblemDetails:
    named = tuple(Problem(field=field, message=message) for field, message in problems)
    return problem_of(Invalid("; ".join(message for _, message in problems), problems=named))


def test_what_the_desk_has_words_for_is_told_in_them_without_the_name_of_a_field() -> None:
    told = reasons(
        rejected(("version", "version 1 is not current; version 2 is"), ("feedback", "Field required")), "de"
    )
    assert [(one.field, one.words) for one in told] == [
        ("", "Version 1 ist nicht mehr aktuell, sondern Version 2."),
        ("Was sich ändern soll", "das fehlt"),
    ]


def test_what_the_desk_has_no_words_for_stays_in_english_and_says_so() -> None:
    problem = rejected(("feedback", "is <odd>"))
    assert reasons_shown(problem, "de") == 'Was sich ändern soll: <bdi lang="en">is &lt;odd&gt;</bdi>'
    assert reasons_shown(problem, "en") == "What is to change: is &lt;odd&gt;"


@pytest.mark.req("O1")
def test_what_a_copy_lacks_is_to_be_asked_for_again_once_it_can_have_been_made_anew() -> None:
    response = response_of(CopyIncompleteError("stemma.event.v1.default.d1.*", 2, 3))
    told = json.loads(bytes(response.body))
    assert (told["status"], told["type"], response.headers["Retry-After"]) == (
        503,
        "urn:stemma:problem:copy-incomplete",
        "60",
    )
    assert "from sequence 2 to 3; the operator makes it anew with `stemma-provision --copies`" in told["detail"]


def test_an_event_that_cannot_be_read_is_told_and_not_to_be_asked_for_again() -> None:
    response = response_of(UnreadableEventError("d1", 2, 3))
    assert (response.status_code, "Retry-After" in response.headers) == (500, False)
    assert json.loads(bytes(response.body))["type"] == "urn:stemma:problem:unreadable"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CopyIncompleteError("stemma.event.v1.default.d1.*", 2, 3), "(Nummern 2 bis 3). Verloren ist nichts"),
        (UnreadableEventError("d1", 2, 3), "ist nicht zu lesen (Nummern 2 bis 3)"),
    ],
)
def test_what_an_operator_has_to_mend_is_told_in_german(error: Exception, words: str) -> None:
    [told] = reasons(problem_of(error), "de")
    assert words in told.words


def test_a_name_of_a_file_with_a_dot_is_no_name_of_a_field() -> None:
    problem = problem_of(Invalid("plan.svg: a text shows PNG, JPEG, GIF and WebP; save it as one of them"))
    [told] = reasons(problem, "de")
    assert told.words.startswith("plan.svg: ein Text zeigt")
    assert title_of(problem_of(NotFound("there is no such file")), "de") == "Nicht gefunden"


@pytest.mark.asyncio(loop_scope="session")
async def test_pages_that_are_not_there_and_forms_that_are_wrong_are_told_in_german(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    async with caller(address) as http:
        nowhere = await http.get("/desk/nowhere", headers=GERMAN)
        nothing = await http.get(f"{section(document_id)}x", headers=GERMAN)
        program = await http.get("/desk/nowhere")
        too_much = await http.post(f"{section(document_id)}/approve", headers=GERMAN, content=b"x" * 5_000_000)
        bus.problems = (Problem(field="version", message="version 2 is not current; version 3 is"),)
        refused = await http.post(f"{section(document_id)}/approve", headers=GERMAN, data={"version": "2"})
    assert ("Unter dieser Adresse ist nichts." in nowhere.text, nowhere.status_code) == (True, 404)
    assert program.json()["detail"] == "Not Found"
    assert "<h1>Nicht gefunden</h1>" in nothing.text
    assert ("<h1>Zu groß</h1>" in too_much.text, too_much.status_code) == (True, 413)
    assert "Version 2 ist nicht mehr aktuell, sondern Version 3." in refused.text


@pytest.mark.asyncio(loop_scope="session")
async def test_a_page_that_is_not_there_leads_back_to_the_desk_and_axe_finds_nothing_in_it(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    size: Any = {"width": 320, "height": 640}
    async with opened(browser, viewport=size, color_scheme="dark", locale="de") as page:
        await signed_in(page, address, token(), "/desk")
        await page.goto(f"{address}/desk/documents/none")
        await expect(page.get_by_role("heading", name="Nicht gefunden")).to_be_visible()
        assert await violations(page) == []
        await page.get_by_role("link", name="Den Arbeitsplatz für Prüfungen öffnen").click()
        await page.wait_for_url("**/desk")


@pytest.mark.asyncio(loop_scope="session")
async def test_what_only_a_bug_explains_is_told_on_a_page_without_a_word_of_it() -> None:
    router, app = APIRouter(route_class=PageRoute), FastAPI()

    @router.get("/broken")
    async def broken() -> None:
        raise RuntimeError("secret")

    app.include_router(router)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
        told = await http.get("/broken", headers=GERMAN)
    assert told.status_code == 500
    assert "Hier ging etwas schief; es steht im Protokoll." in told.text
    assert "secret" not in told.text
