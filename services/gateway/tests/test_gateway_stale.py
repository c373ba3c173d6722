"""Stale sections decided together on the desk: what follows and what it costs is told before it is done."""

from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.plans import Plan, PlannedWork
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import KeepSections, PlanChange, RegenerateSection, RegenerateSections
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import ChangedUpstream, UpstreamVersion
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.usage import Usage
from stemma_gateway.catalogues import words
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import CREATED_AT, document_requested, plan, section_drafted

from .conftest import PAGES
from .desk_pages import NARROW, Desk, all_requested, check, plain, requested

pytestmark = pytest.mark.req("H8", "H5")
FRESHENS, STALES = "these are not stale any more: Budget", "these may become stale: Budget"


async def stale_document(stage: Backstage, document_id: str) -> None:
    """A document in which a person changed `research`, on which `solution` rests, on which `budget` rests."""
    draft = await stage.text(document_id, "# Text\n")
    sections = (plan("research"), plan("solution", "research"), plan("budget", "solution"))
    on_solution = (UpstreamVersion(section_id="solution", version=1),)
    await stage.append(
        document_id,
        document_requested().model_copy(update={"sections": sections}),
        section_drafted("research", draft),
        e.SectionApproved(section_id="research", version=1),
        section_drafted("solution", draft),
        e.SectionApproved(section_id="solution", version=1),
        section_drafted("budget", draft).model_copy(update={"upstream": on_solution}),
        e.SectionApproved(section_id="budget", version=1),
        e.SectionEdited(
            section_id="research",
            version=2,
            draft=await stage.text(document_id, "# Other\n"),
            origin=Origin.WRITTEN,
            actor="bob",
        ),
    )


async def prepare(bus: Backstage, document_id: str) -> None:
    """Such a document in the list."""
    await stale_document(bus, document_id)
    stale = SectionSummary(
        section_id="solution", title="Solution", status=SectionStatus.APPROVED, version=1, stale=True
    )
    await bus.summarise(
        DocumentSummary(
            document_id=document_id,
            kind="proposal",
            status=DocumentStatus.RUNNING,
            created_at=CREATED_AT,
            last_sequence=1,
            sections=(stale,),
        )
    )


@pytest.mark.req("L6")
async def test_what_would_follow_from_a_form_of_a_section_is_shown_with_its_cost_and_nothing_of_it_is_done(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    usage = Usage(calls=3, input_tokens=700, cost=1.5)
    work = (PlannedWork(section_id="solution", kind="write", usage=usage, seconds=40),)
    bus.accepted = {"plan": Plan(sequence=3, work=work, stale=("budget",), usage=usage, seconds=40)}
    form = {"version": "1", "guidance": "Shorter.", "plan": "yes"}
    at = f"/desk/documents/{document_id}/sections/solution"
    page = await http.post(f"{at}/regenerate", data=form, headers=PAGES)
    told = plain(page.text)
    assert "Models work on: Solution About 3 model calls, 700 tokens, $1.50, about 40 seconds." in told
    assert "May be stale then: Budget" in told
    assert "Nothing was changed." in told
    assert "\nShorter.</textarea>" in page.text, "what was typed stays, to be sent"
    assert page.text.count('name="plan" value="yes">What follows?</button>') == 2
    asked = requested(bus, PlanChange)
    assert asked.change == "regenerate-section"
    assert asked.body == {"section_id": "solution", "version": 1, "guidance": "Shorter."}


async def test_what_a_plan_was_asked_of_stays_chosen_and_a_refusal_names_the_fields_of_that_form(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    draft = await bus.text(document_id, "# Two\n")
    second, third = (
        e.SectionEdited(section_id="solution", version=number, draft=draft, origin=Origin.WRITTEN, actor="bob")
        for number in (2, 3)
    )
    await bus.append(document_id, second, third)
    bus.accepted = {"plan": Plan(sequence=3)}
    at = f"/desk/documents/{document_id}/sections/solution"
    restored = await http.post(
        f"{at}/restore", data={"version": "3", "restore_version": "1", "plan": "yes"}, headers=PAGES
    )
    written = await http.post(f"{at}/regenerate", data={"version": "3", "replace_edited": "on", "plan": "yes"})
    assert "<option>2</option><option selected>1</option>" in restored.text
    assert 'name="replace_edited" checked' in written.text
    bus.problems = (Problem(field="body.version", message="version 4 is current"),)
    refused = await http.post(f"{at}/regenerate", data={"version": "3", "plan": "yes"}, headers=PAGES)
    assert ">Not done: version: version 4 is current<" in refused.text


async def test_what_would_follow_is_gone_to_and_one_key_still_does_what_the_form_is_for(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    bus.accepted = {"plan": Plan(sequence=3, stale=("budget",))}
    async with desk(f"/desk/documents/{document_id}/sections/solution", viewport=NARROW) as page:
        await page.keyboard.press("g")
        await page.keyboard.type("Shorter.")
        await page.locator("[action$='/regenerate'] [name=plan]").click()
        await expect(page.locator("#plan")).to_be_focused()
        await expect(page.locator("#plan")).to_be_in_viewport()
        await expect(page.locator("[data-refused]")).to_be_hidden()
        bus.accepted = {}
        await page.keyboard.press("g")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**?done=regenerate**")
    planned, regenerated = all_requested(bus, PlanChange, RegenerateSection)
    assert (planned.body["guidance"], regenerated.guidance) == ("Shorter.", "Shorter.")


async def shown(http: httpx.AsyncClient, document_id: str, *names: str) -> str:
    query = "&".join(f"item={document_id}/{name}" for name in names)
    return (await http.get(f"/desk/stale?{query}", headers=PAGES)).text


async def test_what_follows_and_what_it_costs_is_told_before_stale_sections_are_decided_about(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = await shown(http, document_id, "solution", "research")
    told = plain(page)
    assert f'name="item" value="{document_id}/solution/1" checked' in page
    assert words("en")["stale_by"] % ("Research", 1, 2) in told
    assert "1 ticked section is not stale and is left out" in told
    assert "Rewriting all of them takes about 15 tokens, $0.00" in told
    assert (FRESHENS in told, STALES in told) == (True, False)
    because = (ChangedUpstream(section_id="research", version=2),)
    against = UpstreamVersion(section_id="solution", version=1, stale=True, stale_because=because)
    await bus.append(document_id, e.SectionKept(section_id="budget", version=1, accepted=(against,)))
    told = plain(await shown(http, document_id, "solution"))
    assert (FRESHENS in told, STALES in told) == (False, True)
    assert bus.received == [], "nothing is asked for by looking"


@pytest.mark.parametrize(("how", "kind"), [("keep", KeepSections), ("regenerate", RegenerateSections)])
async def test_what_is_ticked_is_decided_by_one_request_about_the_versions_that_were_seen(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, how: str, kind: type[KeepSections]
) -> None:
    form = {"item": [f"{document_id}/solution/1", f"{document_id}/budget/1"], "how": how}
    done = await http.post("/desk/stale", data={**form, "document": document_id})
    assert done.headers["location"].startswith(f"/desk/documents/{document_id}?done={how}")
    from_inbox = await http.post("/desk/stale", data=form)
    assert from_inbox.headers["location"] == f"/desk?stale=2&how={how}"
    (_, asked), _ = bus.received
    assert isinstance(asked, kind)
    assert [(seen.section_id, seen.version) for seen in asked.sections] == [("solution", 1), ("budget", 1)]
    told = {"keep": "2 sections kept", "regenerate": "2 sections are rewritten"}[how]
    assert told in plain((await http.get(from_inbox.headers["location"], headers=PAGES)).text)


async def test_a_refusal_is_told_and_all_stays_ticked(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    bus.problems = (Problem.of("edited_by_person", "replace_edited", version=1),)
    refused = await http.post("/desk/stale", data={"item": f"{document_id}/solution/1", "how": "regenerate"})
    odd = await http.post("/desk/stale", data={"item": f"{document_id}/solution/1", "how": "burn"}, headers=PAGES)
    nothing = await http.get("/desk/stale", headers=PAGES)
    assert [one.status_code for one in (refused, odd, nothing)] == [422, 422, 422]
    assert 'role="alert"' in refused.text
    assert f'value="{document_id}/solution/1" checked' in refused.text


async def test_what_was_done_before_a_refusal_is_told_and_what_was_refused_stays_ticked(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await stale_document(bus, other := f"{document_id}-other")

    async def refuse_the_other(request: Any) -> None:
        bus.problems = (Problem.of("section_not_stale"),) if request.document_id == other else ()

    bus.on_request = refuse_the_other
    items = [f"{document_id}/solution/1", f"{other}/solution/1"]
    page = (await http.post("/desk/stale", data={"item": items, "how": "keep"}, headers=PAGES)).text
    assert "1 section kept" in plain(page)
    assert 'role="alert"' in page
    assert [f'value="{item}" checked' in page for item in items] == [False, True]
    bus.received = []
    too_many = [f"{other}/{name}/1" for name in ("solution", *range(100))]
    refused = await http.post("/desk/stale", data={"item": [items[0], *too_many], "how": "keep"}, headers=PAGES)
    assert (refused.status_code, bus.received) == (422, []), "nothing is done before all of it can be"
    assert "tick at least one section, and at most 100" in plain(refused.text)


async def test_ticks_in_the_inbox_on_the_map_and_on_the_page_of_the_document_lead_there(
    desk: Desk, bus: Backstage, address: str, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}"
    async with desk("/desk", viewport=NARROW) as page:
        await page.locator(f'[name="item"][value="{document_id}/solution"]').check()
        await page.get_by_role("button", name="Keep or rewrite what is ticked").click()
        await page.wait_for_url("**/desk/stale?*", timeout=10_000)
        await check(page, "stale")
        for path in (here, f"{here}/map"):
            await page.goto(f"{address}{path}")
            await page.locator(f'[name="item"][value="{document_id}/budget"]').uncheck()
            await check(page, path)
            await page.get_by_role("button", name="Keep or rewrite what is ticked").click()
            await page.wait_for_url("**/desk/stale?*")
            await expect(page.locator("[name=item]")).to_have_count(1)
        await page.get_by_role("button", name="Keep").click()
        await expect(page.get_by_role("status").filter(has_text="Done")).to_be_visible()
    requested(bus, KeepSections)
