"""A request alone begins a document; one page tells what was read, found and missed, and has it count."""

from typing import Any

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.inputs import InputReading, ReadingFigures, ReadingWarning
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows, LedgerSummary, LedgerWarning
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.requests import CreateDocument, DecideRequirements
from stemma_contracts.v1.review import ReviewMode
from stemma_gateway.desk import starting
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested

from .conftest import PAGES
from .desk_pages import plain, requested

pytestmark = pytest.mark.req("H2", "H8")
NAME = "rfp <i>.pdf"
PDF: Any = {"request": ("tender.pdf", b"%PDF", "application/pdf")}
DEMANDS: Any = ((1, "should"), (2, "mandatory"), (3, "mandatory"))
ROWS = tuple(
    LedgerRow(
        requirement_id=f"R{number}",
        line=number,
        quote=f"Shall <b>{number}</b>.",
        kind="work",
        obligation=obligation,
        source=NAME,
    )
    for number, obligation in DEMANDS
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A request that is being read."""
    file = await bus.text(document_id, "file")
    given = InputFile(name=NAME, artifact=file, role="request")
    await bus.append(
        document_id, document_requested(), e.DocumentInputAdded(input_id="input-1", file=given, to_read=True)
    )
    await bus.list_research(document_id)
    kinds = (DocumentKind(kind=kind, title=kind, sections=()) for kind in ("agentic", "proposal"))
    told = Capabilities(kinds=tuple(kinds))
    await bus.js.publish("$KV.capabilities.orchestrator", told.model_dump_json().encode())


async def read(bus: Backstage, document_id: str) -> None:
    """The request is read, and its demands are."""
    text = await bus.text(document_id, "Shall.")
    about: dict[str, Any] = {
        "figures": ReadingFigures(pages=7, recognised=2, characters=12_345),
        "warnings": (ReadingWarning(code="of_a_later_release", place="p. 3", detail="a <picture>"),),
    }
    done = e.DocumentInputRead(input_id="input-1", version=1, job_id="j1", reading=InputReading(text=text, **about))
    rows = await bus.text(document_id, LedgerRows(given=9, rows=ROWS).model_dump_json())
    told = await bus.text(document_id, LedgerDifference().model_dump_json())
    missed = (LedgerWarning(code="no_deadlines", source=NAME),)
    summary = LedgerSummary(mandatory=("R2", "R3"), others=("R1",), warnings=missed)
    await bus.append(
        document_id,
        done,
        e.RequirementsRequested(sources=(NAME,)),
        e.RequirementsRead(job_id="j2", rows=rows, difference=told, summary=summary),
    )


def page(document_id: str) -> str:
    return f"/desk/documents/{document_id}/reading"


async def test_a_request_without_a_brief_begins_a_document(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    german = PAGES | {"Accept-Language": "de"}
    page = (await http.get("/desk/new", headers=german)).text
    assert '<input type="file" id="role-request" name="request"' in page
    assert 'id="kind-proposal" name="kind" value="proposal" required checked' in page
    begun = await http.post("/desk/new", data={"kind": "proposal"}, files=PDF, headers=german)
    assert begun.headers["location"].startswith("/desk/documents/new-document/reading")
    asked = requested(bus, CreateDocument)
    assert asked.kind == "proposal"
    assert (asked.title, asked.brief) == ("tender", "Beantworten Sie diese Anfrage vollständig: tender.pdf")
    assert [(one.name, one.role) for one in asked.inputs] == [("tender.pdf", "request")]


async def test_who_asks_for_a_document_sees_which_model_writes_it(http: httpx.AsyncClient, bus: Backstage) -> None:
    told = Capabilities(recipes={"default": {"default": Provenance(model="openai/<b>")}})
    await bus.js.publish("$KV.capabilities.generation-graph", told.model_dump_json().encode())
    assert "Model: openai/<b> . Whoever runs this installation" in plain((await http.get("/desk/new")).text)


async def test_an_outline_a_policy_a_language_and_a_budget_go_with_the_request(
    http: httpx.AsyncClient, bus: Backstage
) -> None:
    about = {
        "kind": "proposal",
        "language": "de-AT",
        "review": "auto",
        "min_score": "0.7",
        "calls": "40",
        "cost": " 2.5",
    }
    await http.post("/desk/new", data={**about, "outline": "# Lage (max 90 words)\n\n# Plan\n"}, files=PDF)
    asked = requested(bus, CreateDocument)
    assert asked.review is not None
    assert (asked.review.mode, asked.review.min_score, asked.language) == (ReviewMode.AUTO, 0.7, "de-AT")
    assert asked.budget == Budget(calls=40, cost=2.5)
    assert str(asked.brief).startswith("Beantworten")
    assert [(one.title, one.max_words) for one in asked.outline or ()] == [("Lage", 90), ("Plan", None)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"review": "auto", "min_score": "high"}, "min_score"),
        ({"review": "<b>"}, "mode"),
        ({"cost": "much"}, "cost"),
        ({"outline": "no heading"}, "there is no section in it"),
    ],
)
async def test_what_is_wrong_with_an_outline_a_policy_or_a_budget_is_told_and_all_that_was_typed_is_kept(
    http: httpx.AsyncClient, bus: Backstage, wrong: dict[str, str], said: str
) -> None:
    refused = await http.post("/desk/new", data={"kind": "proposal", "title": "Mine", **wrong}, files=PDF)
    assert (refused.status_code, bus.received) == (422, [])
    assert said in plain(refused.text)
    assert 'value="Mine"' in refused.text
    assert "tender.pdf" in plain(refused.text)
    assert "<b>" not in refused.text
    assert "<details open>" in refused.text


async def test_how_reading_goes_on_and_what_was_found_and_missed_is_told_request_by_request(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    before = await http.get(page(document_id), headers=PAGES)
    assert "1 of 2 read" in plain(before.text)
    assert "Confirm all" not in before.text
    await read(bus, document_id)
    after = (await http.get(page(document_id), headers=PAGES)).text
    said = plain(after)
    assert "<progress" not in after
    assert "rfp <i>.pdf" in said
    assert "7 pages 2 recognised in pictures 12,345 characters 3 demands, mandatory: 2" in said
    assert "p. 3 : a <picture>" in said
    assert "<b>1</b>" not in after
    assert said.index("Shall <b>2</b>.") < said.index("Shall <b>1</b>.")
    assert "Confirm all 3" in said


async def test_nothing_is_being_read_of_a_document_that_was_cancelled_or_of_a_request_that_does_not_count(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await bus.append(document_id, e.DocumentCancelled())
    assert "<progress" not in (await http.get(page(document_id), headers=PAGES)).text
    text = await bus.text(staged := f"{document_id}-staged", "Shall.")
    file = InputFile(name=NAME, artifact=text, role="request")
    given = e.DocumentInputAdded(input_id="input-1", file=file, staged=True, to_read=True)
    done = e.DocumentInputRead(input_id="input-1", version=1, job_id="j1", reading=InputReading(text=text))
    await bus.append(staged, document_requested(), given, done)
    shown = (await http.get(page(staged), headers=PAGES)).text
    assert "None of the inputs is a request" in plain(shown)
    assert "<progress" not in shown


async def test_one_confirmation_makes_all_that_was_found_count_and_none_of_another_reading(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await read(bus, document_id)
    monkeypatch.setattr(starting, "AT_ONCE", 2)
    stale = await http.post(page(document_id), data={"rows": "0" * 64}, headers=PAGES)
    assert (stale.status_code, bus.received) == (409, [])
    digest = LedgerRows(given=9, rows=ROWS).model_dump_json()
    rows = (await bus.text(document_id, digest)).digest
    done = await http.post(page(document_id), data={"rows": rows}, headers=PAGES, follow_redirects=True)
    assert "Done: Confirm" in plain(done.text)
    asked = [request for _, request in bus.received]
    assert all(isinstance(one, DecideRequirements) for one in asked)
    decided = [each.requirement_id for one in asked for each in one.decisions if each.confirmed]  # type: ignore[attr-defined]
    assert (len(asked), decided) == (2, ["R1", "R2", "R3"])


@pytest.mark.parametrize(("verb", "about"), [("role", {"role": "request"}), ("apply", {})])
async def test_a_request_that_counts_leads_to_what_is_read_of_it(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, verb: str, about: dict[str, str]
) -> None:
    form = {"version": "1", **about}
    one = f"/desk/documents/{document_id}/inputs/input-1/{verb}"
    led = await http.post(one, data=form, files={"none": ("", b"")}, headers=PAGES)
    assert (led.status_code, led.headers["location"].partition("?")[0]) == (303, page(document_id))
