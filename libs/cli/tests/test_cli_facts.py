"""A fact is shown wherever it stands, and changed there when that is asked for."""

import json
from typing import Any

import pytest
from stemma_contracts.v1 import requests

pytestmark = pytest.mark.req("L5")
TERMS = "# Terms\n\nThe warranty is 24\nmonths. Not 124 months.\n"


@pytest.fixture
async def stated(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    offer = drafted("solution", await backstage.text(document_id, "We warrant it for 24 months.\n"))
    await backstage.append(document_id, requested, drafted("research", await backstage.text(document_id, TERMS)), offer)
    return document_id


def asked(backstage: Any) -> list[Any]:
    return [request for _, request in backstage.received if isinstance(request, requests.ChangeFact)]


async def test_every_place_is_shown_and_nothing_is_changed(cli: Any, backstage: Any, stated: str) -> None:
    done = await cli("fact", stated, "24 months", "36 months")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == [
        "research:25 (line 3): The warranty is [-24 months-]{+36 months+}. Not 124 months.",
        "solution:18 (line 1): We warrant it for [-24 months-]{+36 months+}.",
    ]
    assert asked(backstage) == []


async def test_what_was_shown_is_changed_in_the_places_that_are_named(cli: Any, backstage: Any, stated: str) -> None:
    plan = json.loads((await cli("fact", stated, "24 months", "36 months", "--json")).stdout)
    assert [each["places"] for each in plan["sections"]] == [[25], [18]]
    named = ("--at", "solution:18", "--apply")
    done = await cli("fact", stated, "24 months", "36 months", *named)
    assert done.exit_code == 0, done.stderr
    [change] = asked(backstage)
    assert [(one.section_id, one.version, one.places) for one in change.sections] == [
        ("solution", 1, (18,)),
    ]
    refused = await cli("fact", stated, "24 months", "36 months", "--apply", "--shown", "0" * 12)
    assert (refused.exit_code, len(asked(backstage))) == (1, 1)
    unknown = await cli("fact", stated, "9 months", "36 months")
    assert (unknown.exit_code, "no section says 9 months" in unknown.stderr) == (1, True)
    strange = await cli(
        "fact", stated, "24 months", "36 months", "--at", "solution:18", "--at", "solution:1", "--apply"
    )
    assert (strange.exit_code, "does not stand at solution:1" in strange.stderr) == (1, True)
    assert len(asked(backstage)) == 1
