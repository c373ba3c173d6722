"""What of an upstream text a draft rests on: a change of that counts, and no other."""

import pytest
from stemma_evidence import Rests, UpstreamText
from stemma_markdown import changed_marks, marked

pytestmark = pytest.mark.req("L3")
UPSTREAM = """# Operation

Backups are kept for 30 days in two data centres. The service desk answers every call within 15 minutes.

**Outage** means that no clinic can log in. Ada Lovelace leads the migration of the old registers.

Releases come on the first Monday of a month. Sponsors are told of them by letter.

Set `retention_days` in the console.
"""
DRAFT = """# Costs

Keeping backups for 30 days costs EUR 400. Each outage costs more.

Calls that the desk answers within 15 minutes are free. We set `retention_days` for you.

The migration of the registers, which Ada Lovelace leads, is paid by the hour.
"""


def is_touched(old: str, new: str, draft: str = DRAFT) -> bool:
    assert old in UPSTREAM
    used = Rests(draft, "en").on(UpstreamText(UPSTREAM, "en"))
    changed = changed_marks(marked(UPSTREAM), marked(UPSTREAM.replace(old, new)), lambda word: word == "centres")
    assert used is not None
    return not set(used).isdisjoint((*changed.touched, *changed.extended))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("30 days", "60 days"),
        ("within 15 minutes", "within 20 minutes"),
        ("no clinic can log in", "one clinic cannot log in"),
        ("Ada Lovelace leads", "Grace Hopper leads"),
        ("`retention_days`", "`kept_days`"),
        ("within 15 minutes.", "within 15 minutes. At night nobody answers."),
    ],
)
def test_a_change_of_what_it_states_names_or_uses_the_definition_of_counts(old: str, new: str) -> None:
    assert is_touched(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first Monday", "last Friday"),
        ("by letter", "by mail"),
        ("two data centres", "two data\ncentres"),
        ("Sponsors are told", "Nobody but sponsors is told"),
    ],
)
def test_a_change_of_something_else_does_not_count(old: str, new: str) -> None:
    assert not is_touched(old, new)


def test_a_figure_counts_for_its_users_alone() -> None:
    assert not is_touched("30 days", "60 days", "Calls that the desk answers within 15 minutes are free.")


def test_a_draft_that_takes_up_nothing_rests_on_nothing_that_was_found() -> None:
    assert Rests("Hello.", "en").on(UpstreamText(UPSTREAM, "en")) == ()


def test_a_place_that_a_claim_stands_at_is_used_too() -> None:
    upstream, place = UpstreamText(UPSTREAM, "en"), 7
    used = Rests("Hello.", "en").on(upstream, lines={place})
    assert used == tuple(one.mark for one in upstream.marked if one.line == place)


def test_a_text_that_takes_too_long_to_compare_counts_as_a_whole() -> None:
    assert Rests(DRAFT, "en", most_compared=10).on(UpstreamText(UPSTREAM, "en")) is None
