"""Why something was not done is told on pages in the language of the browser."""

import json

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from stemma_client import CopyIncompleteError, RequestRejectedError, TooManyRequestsError, UnreadableEventError
from stemma_client.findings import Finding
from stemma_contracts.problems import Param
from stemma_contracts.v1.answers import Problem, RequestRejected
from stemma_gateway.desk.shell import Told, name_of, told
from stemma_gateway.pages import PageRoute, problem_shown, reasons, reasons_shown, title_of
from stemma_gateway.problems import Invalid, NotFound, ProblemDetails, problem_of, response_of
from stemma_testkit.backstage import Backstage

from .conftest import PAGES
from .desk_pages import section

pytestmark = pytest.mark.req("H4")
GERMAN = PAGES | {"Accept-Language": "de"}


OLD = Problem.of("version_old", "version", version=1, current_version=2)


def rejected(*problems: Problem, document_id: str | None = None) -> ProblemDetails:
    about = {"request_id": "r-1", "request_sequence": 1, "request_digest": "a" * 64, "document_id": document_id}
    return problem_of(RequestRejectedError(RequestRejected.model_validate({**about, "problems": problems})))


def test_a_code_is_shown_by_its_sentence_without_the_name_of_a_field_where_it_is_a_whole_one() -> None:
    told = reasons(rejected(OLD, Problem.of("value_missing", "feedback")), "de")
    assert [(one.field, one.words) for one in told] == [
        ("", "Version 1 ist nicht mehr aktuell, sondern Version 2."),
        ("Was sich ändern soll", "das fehlt"),
    ]


@pytest.mark.parametrize(
    "problem",
    [
        Problem(field="feedback", message="is <odd>"),
        Problem(field="feedback", message="is <odd>", code="of_a_later_release", params={"a": 1}),
        Problem(field="feedback", message="is <odd>", code="version_old", params={"version": 1}),
        Problem.of("value_invalid", "feedback", reason="is <odd>"),
    ],
)
def test_a_problem_that_the_desk_has_no_sentence_for_is_shown_by_its_message_as_english(problem: Problem) -> None:
    assert reasons_shown(rejected(problem), "de") == 'Was sich ändern soll: <bdi lang="en">is &lt;odd&gt;</bdi>'
    assert reasons_shown(rejected(problem), "en") == "What should change: is &lt;odd&gt;"


def test_the_failure_of_a_job_is_shown_by_its_code() -> None:
    problem = Problem.of("job_model_unavailable", "edit", reason="RateLimitError <429>")
    shown = 'edit: Das Modell antwortet nicht: <bdi lang="en">RateLimitError &lt;429&gt;</bdi>'
    assert problem_shown(problem, "de") == shown
    assert problem_shown(problem, "en") == "edit: model unavailable: RateLimitError &lt;429&gt;"


def test_a_parameter_is_no_markup() -> None:
    problem = problem_of(Invalid(Problem.of("file_empty", name="<b>{name}</b>")))
    assert reasons_shown(problem, "de") == "&lt;b&gt;{name}&lt;/b&gt; ist leer."


@pytest.mark.parametrize(
    ("problem", "shown"),
    [
        (Problem.of("budget_passed", bound="cost"), "das Budget des Dokuments (Kosten)"),
        (Problem.of("entry_lapsed", lapse="stale"), "nicht zu gebrauchen: worauf er beruht, hat sich geändert"),
        (Problem.of("outcome_same", outcome="won"), "schon vermerkt: gewonnen"),
        (
            Problem.of("input_role_same", input_id="role_of", role="internal"),
            "role_of hat diese Rolle schon (Intern: ",
        ),
    ],
)
def test_a_parameter_that_is_a_word_of_ours_is_said_in_german(problem: Problem, shown: str) -> None:
    assert shown in problem_shown(problem, "de")


def test_a_program_is_told_the_code_of_the_one_problem_or_of_each() -> None:
    one, several = rejected(OLD), rejected(OLD, Problem.of("value_missing", "feedback"))
    assert (one.code, one.params, one.problems) == (OLD.code, OLD.params, (OLD,))
    assert (several.code, [each.code for each in several.problems]) == ("", ["version_old", "value_missing"])
    params: dict[str, Param] = {"section_id": "research", "version": 9}
    alone = json.loads(bytes(response_of(NotFound(Problem.of("version_unknown", **params))).body))
    assert (alone["code"], alone["params"], "problems" in alone) == ("version_unknown", params, False)


@pytest.mark.parametrize(
    ("field", "document_id", "status"),
    [("kind", None, 422), ("request_id", None, 409), ("document_id", None, 404), ("document_id", "d1", 409)],
)
def test_the_status_of_a_rejected_request_says_whether_it_is_wrong_or_the_document_forbids_it(
    field: str, document_id: str | None, status: int
) -> None:
    assert rejected(Problem(field=field, message="no"), document_id=document_id).status == status


@pytest.mark.req("O1")
@pytest.mark.parametrize(
    ("error", "kind", "retry_after", "english", "german"),
    [
        (
            CopyIncompleteError("stemma.event.v1.default.d1.*", 2, 3),
            (503, "copy-incomplete"),
            "60",
            "from sequence 2 to 3; the operator makes it anew with `stemma-provision --copies`",
            "Nummern 2 bis 3). Verloren ist nichts",
        ),
        (UnreadableEventError("d1", 2, 3), (500, "unreadable"), None, "2 to 3", "ist nicht zu lesen (Nummern 2 bis 3)"),
        (TooManyRequestsError("as many requests wait as may"), (429, "tenant-full"), "2", "wait", "wait"),
    ],
)
def test_what_may_work_later_says_when_and_what_an_operator_has_to_mend_is_told_in_words(
    error: Exception, kind: tuple[int, str], retry_after: str | None, english: str, german: str
) -> None:
    response = response_of(error)
    told_of = json.loads(bytes(response.body))
    found = (response.status_code, told_of["type"].removeprefix("urn:stemma:problem:"))
    assert (found, response.headers.get("Retry-After")) == (kind, retry_after)
    assert english in told_of["detail"]
    [told] = reasons(problem_of(error), "de")
    assert german in told.words


def test_a_name_of_a_file_with_a_dot_is_no_name_of_a_field() -> None:
    problem = problem_of(Invalid(Problem.of("image_type_unsupported", name="plan.svg")))
    [told] = reasons(problem, "de")
    assert told.words.startswith("plan.svg: ein Text zeigt")
    assert title_of(problem_of(NotFound(Problem.of("asset_unknown"))), "de") == "Nicht gefunden"


async def test_pages_that_are_not_there_and_forms_that_are_wrong_are_told_in_german(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    nowhere = await http.get("/desk/nowhere", headers=GERMAN)
    nothing = await http.get(f"{section(document_id)}x", headers=GERMAN)
    inputs = [
        await http.get(f"/desk/documents/{document_id}/inputs/input-99{page}", headers=GERMAN) for page in ("", "/text")
    ]
    program = await http.get("/desk/nowhere")
    too_much = await http.post(f"{section(document_id)}/approve", headers=GERMAN, content=b"x" * 5_000_000)
    bus.problems = (Problem.of("version_old", "version", version=2, current_version=3),)
    refused = await http.post(f"{section(document_id)}/approve", headers=GERMAN, data={"version": "2"})
    assert ("Unter dieser Adresse ist nichts." in nowhere.text, nowhere.status_code) == (True, 404)
    assert [one.status_code for one in inputs] == [404, 404]
    assert program.json()["detail"] == "Not Found"
    assert "<h1>Nicht gefunden</h1>" in nothing.text
    assert '<a href="/desk">Den Arbeitsplatz für Prüfungen öffnen</a>' in nothing.text
    assert ("<h1>Zu groß</h1>" in too_much.text, too_much.status_code) == (True, 413)
    assert "Version 2 ist nicht mehr aktuell, sondern Version 3." in refused.text


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


@pytest.mark.parametrize(
    ("finding", "german"),
    [
        (
            Finding("lint", "STEMMA004", "Costs", line=3),
            Told("STEMMA004", "Eine verlangte Überschrift fehlt", "Costs", False, 3),
        ),
        (
            Finding("lint", "MD009", "2 trailing spaces found", line=7),
            Told("MD009", "Leerzeichen am Zeilenende", "2 trailing spaces found", True, 7),
        ),
        (
            Finding("lint", "forms/answer", line=7).coded("answer_no_boolean", field_id="Q1", answer="'maybe'"),
            Told(
                "forms/answer",
                "Eine Antwort ist keine, die ihr Feld im Formular annimmt",
                "Q1: 'maybe' ist weder ja noch nein",
                False,
                7,
            ),
        ),
        (
            Finding("grounding", "grounding/amount", line=2).coded("claim_without_amount", text="{a} (3 €)"),
            Told(
                "Betrag",
                "Ein Betrag steht in keiner Unterlage, auch nicht im Auftrag oder in einem Abschnitt davor: {a} (3 €)",
                "",
                False,
                2,
            ),
        ),
        (
            Finding("check", "required_headings").coded("headings_missing", headings="Risks, Costs"),
            Told("Verlangte Überschriften", "fehlt oder ist leer: Risks, Costs", "", False, 0),
        ),
        (
            Finding("judgement", "next_step").coded("criterion_below"),
            Told("Nächster Schritt", "unter dem Schwellenwert", "", False, 0),
        ),
        (Finding("critical", "my_own", "in words of its own"), Told("my own", "", "in words of its own", False, 0)),
    ],
)  # fmt: skip
def test_a_finding_is_told_in_german_and_what_is_not_ours_stays_as_it_is(finding: Finding, german: Told) -> None:
    [found] = told([finding], "de")
    assert found == german


def test_in_english_a_finding_has_the_words_that_it_came_with_and_its_rule_is_said_where_they_do_not() -> None:
    rule, linter, check = told(
        [
            Finding("lint", "STEMMA004", "Costs"),
            Finding("lint", "MD009", "2 trailing spaces found"),
            Finding("check", "required_headings", "missing: Risks"),
        ],
        "en",
    )
    assert (rule.words, rule.detail) == ("A required heading is missing", "Costs")
    assert (linter.words, linter.detail, linter.is_foreign) == ("", "2 trailing spaces found", False)
    assert (check.name, check.words) == ("required headings", "missing: Risks")
    assert name_of("next_step", "en") == "next step"
