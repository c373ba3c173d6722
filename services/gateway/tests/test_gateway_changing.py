"""Single changes are accepted and taken back on the review desk, in a real Chromium; what a section comes from."""

import re
from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.provenance import Origin, Provenance, RetrievedSource
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.requests import AcceptEdit, ApproveSection, EditSection, RejectEdit, TakeBackChanges
from stemma_contracts.v1.validation import ValidationSummary
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .desk_pages import NARROW, Desk, check, plain, requested, section

pytestmark = pytest.mark.req("H2", "H4", "H5")
OLD = "# Costs\n\nIt costs 5 euros. It is small.\n\nWe (Brief).\n"
NEW = (
    "# Costs\n\nIt costs 6 euros. It is very small.\n\nWe (Brief). They pay.\n\n<script>document.title='run'</script>\n"
)
LETTER = "# Costs\n\nIt costs 6 euros. It is tiny.\n\nWe (Brief). They pay.\n\nSee below.\n"


CONFLICTS = MergeConflicts(
    conflicts=(MergeConflict(start=9, end=26, base="It costs 5 euros.", ours="It costs 6 euros.", theirs="Cheap <i>."),)
)
GIVEN = (
    RetrievedSource(kind="input", name="prices <i>.pdf", given=1200, of=4000),
    RetrievedSource(kind="input", name="b.md"),
    RetrievedSource(kind="input", name="c.md", given=0, of=9),
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A section of two versions, of which the second rests on an input."""
    drafts = [await bus.text(document_id, text) for text in (OLD, NEW)]
    read = await bus.text(document_id, "# Prices\n\nSix euros.\n")
    drafted = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
    drafted[1] = drafted[1].model_copy(update={"retrieved_context": GIVEN})
    place = CitedPlace(input_id="input-1", name="prices <i>.pdf", kind="page", label="p. 4", line=3)
    cited = GroundingReport(cited=(CitedText(start=9, end=26, line_number=3, text="It costs", places=(place,)),))
    grounding = await bus.text(document_id, cited.model_dump_json())
    told = ValidationSummary(passed=True, issue_count=0, engine="x", engine_version="1", grounding=grounding)
    await bus.append(
        document_id,
        document_requested(),
        e.DocumentInputAdded(input_id="input-1", file=InputFile(name="prices <i>.pdf", artifact=read)),
        *drafted,
        review_requested("research", 2).model_copy(update={"validation": told}),
    )
    await bus.list_research(document_id, version=2)


async def proposed(bus: Backstage, document_id: str) -> None:
    """The editor agent proposes a change of the second version."""
    draft = await bus.text(document_id, LETTER)
    words = await bus.text(document_id, "Shorter.")
    await bus.append(
        document_id,
        e.SectionApproved(section_id="research", version=2, actor="ada", actor_verified=True),
        e.SectionEditRequested(
            section_id="research", version=2, instruction=words, result="proposed", proposal_id="p1", actor="bob"
        ),
        e.SectionEditProposed(
            section_id="research",
            job_id="j9",
            proposal_id="p1",
            version=2,
            base_digest="a" * 64,
            draft=draft,
            summary=words,
            provenance=Provenance(model="offline"),
        ),
    )


async def test_each_change_is_decided_at_its_words_and_every_other_word_of_the_version_stays(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    # So high that the bar of verbs, which stays in view, lies over no other button.
    size = {**NARROW, "height": 1600}
    async with desk(f"{section(document_id)}?old=1", viewport=size) as page:
        await check(page)
        assert (await page.title()).endswith("Research · Stemma")
        for key in ("j", "n", "y", "y", "y"):
            await page.keyboard.press(key)
        await page.reload()
        await page.get_by_role("button", name="Apply decisions").click()
        await expect(page.get_by_role("status")).to_contain_text("Undo")
    asked = requested(bus, TakeBackChanges)
    assert (asked.version, asked.since, asked.changes, asked.shown) == (2, 1, (1,), 5)


async def test_to_accept_all_changes_of_a_version_approves_it(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here, form = f"{section(document_id)}/changes", {"version": "2", "old": "1"}
    http.follow_redirects = True
    undecided = await http.post(here, data=form)
    done = await http.post(here, data=form | {"c0": "accept", "rest": "accept"})
    assert "4 of 4 are not decided yet" in undecided.text.partition('role="alert">')[2]
    assert 'role="radiogroup" aria-label="Change 1: 5 → 6"' in undecided.text
    assert "Done: Approve" in plain(done.text)
    asked = requested(bus, ApproveSection)
    assert asked.version == 2


@pytest.mark.req("L4")
async def test_conflicts_are_shown_side_by_side_and_what_is_chosen_becomes_a_text_of_the_person(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    kept = await bus.text(document_id, CONFLICTS.model_dump_json())
    drafted = section_drafted("research", await bus.text(document_id, NEW), 3)
    merge = Merge(theirs=drafted.draft, conflicts=kept, count=1)
    await bus.append(document_id, drafted.model_copy(update={"merge": merge}), review_requested("research", 3))
    here = section(document_id)
    page = await http.get(here, headers={"Accept": "text/html"})
    assert "<dd>It costs 6 euros.</dd>" in page.text
    assert "<dd>Cheap &lt;i&gt;.</dd>" in page.text
    await bus.list_research(document_id, version=3, open_conflicts=1)
    for listed in (f"/desk/documents/{document_id}", "/desk"):
        there = await http.get(listed, headers={"Accept": "text/html"})
        assert "1 conflict with people&#39;s words" in there.text
    undecided = await http.post(f"{here}/settle", data={"version": "3"})
    assert (undecided.status_code, bus.received) == (422, [])
    assert (await http.post(f"{here}/settle", data={"version": "3", "c0": "theirs"})).status_code == 303
    asked = requested(bus, EditSection)
    assert (asked.version, asked.text) == (3, NEW.replace("It costs 6 euros.", "Cheap <i>."))


@pytest.mark.req("L4")
async def test_an_edit_that_was_made_for_an_earlier_version_shows_what_both_changed(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await proposed(bus, document_id)
    text, letter = await bus.text(document_id, OLD), await bus.text(document_id, LETTER)
    merge = Merge(theirs=letter, conflicts=await bus.text(document_id, CONFLICTS.model_dump_json()), count=1)
    about: Any = {"section_id": "research", "version": 3}
    await bus.append(
        document_id,
        e.SectionEditMerged(**about, proposal_id="p1", base_digest=text.digest, draft=letter, merge=merge),
        e.SectionEdited(**about, draft=text, origin=Origin.WRITTEN, actor="bob"),
    )
    page = await http.get(section(document_id), headers={"Accept": "text/html"})
    assert 'value="p1"' in page.text
    assert "<dd>Cheap &lt;i&gt;.</dd>" in page.text
    assert "/settle" not in page.text


async def test_a_proposed_edit_is_accepted_in_part_as_a_whole_or_not_at_all(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await proposed(bus, document_id)
    here, about = f"{section(document_id)}/changes", {"version": "2", "proposal_id": "p1"}
    for chosen in ({"c0": "back", "rest": "accept"}, {"rest": "accept"}, {"rest": "back"}):
        assert (await http.post(here, data={**about, **chosen})).status_code == 303
    gone = await http.post(here, data={**about, "proposal_id": "p9", "rest": "accept"})
    page = await http.get(section(document_id), headers={"Accept": "text/html"})
    part, whole, none = [request for _, request in bus.received]
    assert isinstance(part, TakeBackChanges)
    assert (part.version, part.proposal_id, part.since, part.changes) == (2, "p1", None, (1,))
    assert isinstance(whole, AcceptEdit)
    assert isinstance(none, RejectEdit)
    assert (whole.proposal_id, none.proposal_id, gone.status_code) == ("p1", "p1", 422)
    assert 'name="c0"' in page.text


async def test_a_version_that_came_meanwhile_is_not_overwritten_and_one_that_is_not_there_is_refused(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{section(document_id)}/changes"
    bus.problems = (Problem.of("version_old", "version", version=2, current_version=3),)
    chosen = {"c0": "back", "rest": "accept"}
    refused = await http.post(here, data={"old": "1", "version": "2", **chosen})
    nowhere = await http.post(here, data={"old": "1", "version": "9", **chosen})
    numberless = await http.post(here, data={"old": "9" * 5000, "version": "٣"})
    assert "version 3 is" in refused.text
    assert 'name="c0" value="back" checked' in refused.text
    assert [nowhere.status_code, numberless.status_code] == [422, 422]


async def test_a_section_tells_what_it_comes_from_and_leads_to_the_page_of_its_source(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await proposed(bus, document_id)
    http.follow_redirects = True
    page = (await http.get(section(document_id))).text
    lineage = page.partition('<dl class="lineage">')[2].partition("</aside>")[0]
    source = await http.get(re.findall('href="([^"]*/at[?][^"]*)"><bdi>p. 4', lineage)[0])
    assert ("offline" in lineage, "ada" in lineage) == (True, True)
    assert "1 sentence with its sources" in lineage
    assert "It costs" in lineage.partition('class="plain sentences"')[2]
    assert "prices <i>.pdf : 1,200 of 4,000 passages b.md : whole c.md : nothing" in plain(lineage)
    assert str(source.url).endswith("/inputs/input-1/text?line=3#line-3")
    assert re.search('id="line-3"[^>]*>Six euros.', source.text)
