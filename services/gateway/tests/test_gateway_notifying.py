"""Of what a person is told: rules are added, tested and removed on the desk."""

import re
from typing import Any

import httpx
import pytest
from stemma_client import notifications
from stemma_contracts.v1.notifications import check_secret
from stemma_testkit.backstage import Backstage

from .conftest import PAGES, Person
from .desk_pages import plain

pytestmark = pytest.mark.req("H7", "H8")
PAGE = "/desk/notifications"
NO_FILE: Any = {"none": ("", b"")}


@pytest.fixture(autouse=True)
def _no_notifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at the receivers, so nobody waits for that."""
    monkeypatch.setattr(notifications, "CHECKED_WITHIN_S", 0.0)


async def test_the_secret_of_a_webhook_is_shown_once_and_its_rule_is_tested_and_removed(
    http: httpx.AsyncClient,
) -> None:
    typed = {"rule_id": "hook", "receiver": "https://example.com/h?<i>", "on": ["waiting", "failed"], "cost": "2.5"}
    added = await http.post(PAGE, data=typed, files=NO_FILE, headers=PAGES)
    [secret] = re.findall(r"whsec_[\w+/=]+", added.text)
    assert check_secret(secret)
    listed = (await http.get(PAGE, headers=PAGES)).text
    assert "hook https://example.com/h?<i>" in plain(listed)
    assert "something failed, a budget is reached $2.50" in plain(listed)
    assert "<i>" not in listed
    assert "whsec_" not in listed
    tested = await http.post(f"{PAGE}/hook/test", headers=PAGES, follow_redirects=True)
    assert "Nothing was sent yet." in plain(tested.text)
    removed = await http.post(f"{PAGE}/hook/remove", headers=PAGES, follow_redirects=True)
    assert "Done: the rule is removed" in plain(removed.text)
    assert "example.com" not in removed.text
    assert (await http.post(f"{PAGE}/hook/remove", headers=PAGES)).status_code == 422


async def test_a_rule_is_about_one_document_to_whose_page_its_title_leads(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    begun = (await http.get(f"{PAGE}?document={document_id}", headers=PAGES)).text
    assert f'<option value="{document_id}" selected>' in begun
    typed = {"rule_id": "one", "receiver": "ada@example.com", "on": "stale", "document": document_id}
    await http.post(PAGE, data=typed, files=NO_FILE, headers=PAGES)
    assert f'<a href="/desk/documents/{document_id}"><bdi>' in (await http.get(PAGE, headers=PAGES)).text
    await http.post(f"{PAGE}/one/remove")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"receiver": "ada"}, "must be a mail address"),
        ({"receiver": "https://u:p@example.com"}, "no password"),
        ({"on": "whenever"}, "on"),
        ({"tokens": "many"}, "tokens"),
        ({"rule_id": "<b>"}, "rule_id"),
    ],
)
async def test_a_rule_that_cannot_be_is_refused_with_all_that_was_typed(
    http: httpx.AsyncClient, wrong: dict[str, str], said: str
) -> None:
    typed = {"rule_id": "mine", "receiver": "ada@example.com", "on": "stale", "cost": "7"} | wrong
    refused = await http.post(PAGE, data=typed, files=NO_FILE, headers=PAGES)
    assert (refused.status_code, said in plain(refused.text)) == (422, True)
    assert f'value="{typed["cost"]}"' in refused.text
    assert "<b>" not in refused.text
    assert "You are told of nothing yet." in plain(refused.text)


async def test_a_person_has_rules_of_its_own(
    visitor: httpx.AsyncClient, person: Person, http: httpx.AsyncClient
) -> None:
    await visitor.post("/sign-in", json=person("nia"))
    typed = {"rule_id": "mail", "receiver": "nia@example.com", "on": "assigned"}
    added = await visitor.post(PAGE, data=typed, files=NO_FILE, headers=PAGES)
    assert "You will be told by this rule: mail" in plain(added.text)
    assert "nia@example.com" not in (await http.get(PAGE, headers=PAGES)).text
