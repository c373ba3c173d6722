"""The offline writer as architect, database designer, reviewer and formatter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from stemma_models.offline import OfflineWriter
from stemma_models.offline.answers import structured_answer, written_answer
from stemma_models.offline.request import read_request
from stemma_models.prompting import block

BRIEF = """# A booking system

Members book one of 14 machines. Propose a design.

A booking must be confirmed within 2 seconds. It must work without the network for 4 hours. Data must be deleted
after 12 months. A card may only open its own machine. Running it must not cost more than EUR 60 a month.
"""
DATA = """# Data

| Record | Fields | Kept for |
| --- | --- | --- |
| Member | number, name, joined on | 12 months |
| Booking | member, begins at, allowed or not | 36 months |
"""
RULES = """# Machines

The gate server keeps the bookings of a day. The lathe needs a second person in the room.
"""
TITLES = {"draft_hld": "High-level design", "draft_lld": "Low-level design", "design_database": "Database schema"}
FIELDS: dict[str, Any] = {"summary": {"type": "string"}, "findings": {"type": "array", "items": {"type": "object"}}}


def prompt(kind: str, task: str = "section", upstream: dict[str, str] | None = None, **blocks: str) -> str:
    shown = [
        block("task", task),
        block("section", "", id=kind, kind=kind, title=TITLES.get(kind, "Text")),
        block("brief", BRIEF),
        block("input", DATA, name="data.md"),
        block("input", RULES, name="machines.md"),
        *(block("upstream", text, id=name, title=TITLES[name]) for name, text in (upstream or {}).items()),
        *(block(tag, text) for tag, text in blocks.items()),
    ]
    return "\n".join(shown)


def written(kind: str, **extra: Any) -> str:
    return written_answer(read_request([HumanMessage(prompt(kind, **extra))]))


def facts(task: str, upstream: dict[str, str], schema: dict[str, Any]) -> Any:
    request = read_request([HumanMessage(prompt("review_doc", task, upstream))])
    return json.loads(structured_answer(request, {"type": "object", "properties": schema, "title": "Answer"}))


def test_the_architect_names_parts_and_decisions_of_the_material() -> None:
    text = written("draft_hld")
    assert text.startswith("# High-level design\n\nMembers book one of 14 machines.\n")
    assert "| Gate server | The gate server keeps the bookings of a day. |" in text
    assert "- A booking must be confirmed within 2 seconds." in text
    assert "Propose" not in text


def test_tables_have_keys_types_and_references() -> None:
    text = written("design_database", upstream={"draft_lld": "# L\n\nBookings.\n"})
    assert "### member" in text
    assert "| number | bigint | primary key |" in text
    assert "| joined_on | date | required |" in text
    assert "| id | bigint | primary key |\n| member_number | bigint | refers to member |" in text
    assert "| begins_at | timestamp with time zone | required |" in text
    assert "| allowed_or_not | boolean | required |" in text
    assert "Rows are kept: 36 months." in text


def test_a_review_finds_what_no_section_takes_up_and_the_next_draft_says_it() -> None:
    drafts = {"draft_hld": written("draft_hld")}
    drafts["draft_lld"] = written("draft_lld", upstream=drafts)
    found = facts("review", drafts, FIELDS)
    assert [finding["severity"] for finding in found["findings"]] == ["major"]
    assert "EUR 60 a month" in found["findings"][0]["finding"]
    assert found["findings"][0]["section"] == "draft_hld"
    review = "# Review\n\n- High-level design: No section takes up “It must not cost EUR 60.” To mend it: Say how.\n"
    again = written("draft_hld", revision_feedback=review, previous=drafts["draft_hld"])
    assert "- It must not cost EUR 60." in again


def test_what_a_review_asked_for_is_not_lost_in_the_next_cycle() -> None:
    before = written("draft_hld") + "\n- Running it must not cost more than EUR 60 a month.\n"
    again = written("draft_hld", revision_feedback="Mention the alarm.", previous=before)
    assert "EUR 60 a month" in again
    assert again.endswith("## What was asked for\n\n- Mention the alarm.\n")


def test_the_final_document_is_introduced_by_the_brief_and_its_decisions() -> None:
    told = facts(
        "final document",
        {"draft_hld": written("draft_hld")},
        {"introduction": {"type": "string"}, "key_decisions": {"type": "array", "items": {"type": "string"}}},
    )
    assert told["introduction"].startswith("Members book one of 14 machines.")
    assert told["key_decisions"][0] == "A booking must be confirmed within 2 seconds."


@pytest.mark.parametrize("kind", sorted(TITLES))
async def test_a_brief_that_says_nothing_gives_a_draft_that_says_so(kind: str) -> None:
    empty = "\n".join(
        [block("task", "section"), block("section", "", id=kind, kind=kind, title="D"), block("brief", "Build it.")]
    )
    text = str((await OfflineWriter().ainvoke([HumanMessage(empty)])).text)
    assert text.startswith("# D\n\n")
