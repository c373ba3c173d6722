"""Assigning sections at the command line: to a person, until a time, and to nobody."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from stemma_cli.rendering.inbox import Entry, most_pressing_first
from stemma_cli.wording import assignment_words
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.views import AssignmentView, SectionView
from stemma_testkit.document_events import review_requested, section_drafted

pytestmark = pytest.mark.req("H2")
DUE = "2099-12-01T17:00:00+01:00"


@pytest.fixture
async def waiting(backstage: Any, document_id: str, requested: Any) -> str:
    """A document whose section `research` waits for review; it is assigned as it is asked for."""

    async def assigned(request: Any) -> None:
        if isinstance(request, requests.AssignSection):
            about: dict[str, Any] = {"section_id": request.section_id, "actor": request.actor}
            await backstage.append(
                document_id, events.SectionAssigned(**about, assignee=request.assignee, due=request.due)
            )

    draft = await backstage.text(document_id, "# Research\n\nOne.\n")
    await backstage.append(document_id, requested, section_drafted("research", draft), review_requested("research"))
    await backstage.list_research(document_id)
    backstage.on_request = assigned
    return document_id


async def test_a_section_is_assigned_and_shown_with_its_person_and_time(cli: Any, waiting: str, backstage: Any) -> None:
    done = await cli("assign", waiting, "research", "--to", "bea", "--due", DUE)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("assigned research to bea, due 2099-12-01 ")
    assert "bea, due 2099-12-01 " in (await cli("show", waiting)).stdout
    assert "assigned (bea, due 2099-12-01 " in (await cli("history", waiting)).stdout
    [(_, asked)] = backstage.received
    assert isinstance(asked, requests.AssignSection)
    assert (asked.assignee, asked.due) == ("bea", datetime.fromisoformat(DUE))
    assert (await cli("assign", waiting, "research", "--nobody")).stdout == "research is assigned to nobody\n"
    assert isinstance(backstage.received[-1][1], requests.UnassignSection)


async def test_the_inbox_lists_what_is_mine_or_nobodys(cli: Any, waiting: str) -> None:
    async def listed(*options: str) -> list[tuple[str, str | None]]:
        found = json.loads((await cli("inbox", "--json", *options)).stdout)
        asked = [one["section"]["assignment"] or {} for one in found if one["document_id"] == waiting]
        return [(one.get("assignee", ""), one.get("due")) for one in asked]

    assert await listed("--unassigned") == [("", None)]
    await cli("assign", waiting, "research", "--to", "ana", "--due", DUE)
    assert await listed("--mine") == [("ana", DUE)]
    assert (await listed("--unassigned"), await listed()) == ([], [("ana", DUE)])
    await cli("assign", waiting, "research", "--to", "bea")
    assert (await listed("--mine"), await listed()) == ([], [("bea", None)])


def test_what_holds_up_most_comes_first_and_of_what_holds_up_as_much_what_is_due_first() -> None:
    soon, late = map(datetime.fromisoformat, ("2099-01-01T00:00:00+01:00", "2098-12-31T23:30:00Z"))
    told = [([], None), ([], soon), (["budget"], None), ([], late), (["budget"], late)]
    section = SectionView(section_id="research", title="", kind="research")
    asked = [section.model_copy(update={"assignment": AssignmentView(assignee="bea", due=due)}) for _, due in told]
    entries = [Entry("d1", "", of, unblocks, "") for of, (unblocks, _) in zip(asked, told, strict=True)]
    ordered = [(one.unblocks, one.assignment.due) for one in sorted(entries, key=most_pressing_first)]
    assert ordered == [told[4], told[2], told[1], told[3], told[0]]


async def test_what_cannot_be_asked_says_why_and_sends_nothing(cli: Any, waiting: str, backstage: Any) -> None:
    for why, *options in (
        ("give --to",),
        ("give --to", "--to", "bea", "--nobody"),
        ("give --to", "--nobody", "--due", DUE),
        ("the time zone is missing", "--to", "bea", "--due", "2099-12-01T17:00"),
        ("'friday' is no time", "--to", "bea", "--due", "friday"),
        ("assignee", "--to", "b e a"),
    ):
        refused = await cli("assign", waiting, "research", *options)
        assert (refused.exit_code, why in refused.output) == (2, True), refused.output
    assert backstage.received == []


def test_what_is_past_its_time_is_told_by_a_word() -> None:
    due = datetime(2026, 12, 1, 17, tzinfo=UTC)
    assert assignment_words("bea", due, datetime(2026, 12, 1, tzinfo=UTC)).startswith("bea, due 2026-12-01 ")
    assert assignment_words("bea", due, datetime(2026, 12, 2, tzinfo=UTC)).startswith("bea, overdue since 2026-12-01 ")
    assert assignment_words("", None) == ""
