"""Rules of notification at the command line."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from stemma_contracts.v1.notifications import check_secret

HOOK = ("--webhook", "https://example.com/hook")


@pytest.mark.req("H7")
async def test_a_rule_is_added_listed_without_its_secret_and_removed(cli: Callable[..., Any], document_id: str) -> None:
    added = await cli("notify", "add", "mine", *HOOK, "--on", "waiting", "--document", document_id)
    told, secret = added.stdout.splitlines()
    assert (added.exit_code, told) == (0, "mine tells https://example.com/hook")
    assert "mine is added, but no notifier has looked at its receiver yet" in added.stderr
    assert check_secret(secret.removeprefix("secret "))

    shown = json.loads((await cli("notify", "list", "--json")).stdout)
    [rule] = [one for one in shown if one["rule_id"] == "mine"]
    listed = await cli("notify", "list")
    tested, log = await cli("notify", "test", "mine"), await cli("notify", "log", "mine", "--json")
    removed = await cli("notify", "remove", "mine")
    assert rule == {
        "rule_id": "mine",
        "on": ["waiting"],
        "document_ids": [document_id],
        "kinds": [],
        "webhook": "https://example.com/hook",
    }
    assert secret.removeprefix("secret ") not in listed.stdout
    assert [one.exit_code for one in (listed, tested, log, removed)] == [0, 0, 0, 0]
    assert json.loads(log.stdout) == []
    assert "mine" not in (await cli("notify", "list")).stdout


@pytest.mark.req("H7")
async def test_a_rule_that_cannot_be_is_refused_in_words(cli: Callable[..., Any]) -> None:
    for words, *arguments in (
        ("give either --webhook or --email", "add", "a"),
        ("give either --webhook or --email", "add", "a", *HOOK, "--email", "ada@example.com"),
        ("rule_id", "add", "a.b", *HOOK),
        ("on.0", "add", "a", *HOOK, "--on", "whenever"),
        ("must be a web address", "add", "a", "--webhook", "ftp://example.com"),
        ("must be a mail address", "add", "a", "--email", "ada"),
        ("give tokens or cost, or both", "add", "a", *HOOK, "--on", "budget"),
        ("name budget as well", "add", "a", *HOOK, "--on", "failed", "--cost", "5"),
        ("tokens", "add", "a", *HOOK, "--tokens", "0"),
        ("there is no rule nobody", "remove", "nobody"),
        ("there is no rule nobody", "test", "nobody"),
    ):
        refused = await cli("notify", *arguments)
        assert (refused.exit_code, words in refused.stderr) == (2, True), (arguments, refused.stderr)


@pytest.mark.req("H7")
async def test_a_rule_that_names_a_limit_is_about_budgets_too_and_the_list_says_which(cli: Callable[..., Any]) -> None:
    await cli("notify", "add", "spent", *HOOK, "--tokens", "200000", "--cost", "5")
    listed = await cli("notify", "list")
    await cli("notify", "remove", "spent")
    assert "waiting, finished, failed, stale, assigned, due_soon, overdue, budget 200,000 tokens or $5.00" in " ".join(
        listed.stdout.split()
    )
