"""What of a text others rest on has marks, and a new version tells which of them it touches."""

import pytest
from stemma_markdown import Changed, Marked, changed_marks, marked

pytestmark = pytest.mark.req("L3")
TEXT = """# Service

Backups are kept for 30 days. The desk answers within 4 hours.

- **Outage**: no answer for 5 minutes
  - maintenance is none
- Ada Lovelace runs the desk

| What | Price |
|---|---|
| Desk | EUR 400 |

Set `retention_days` to 30.
"""
WORDS = {"receive", "desk", "minutes"}


def change(old: str, new: str, text: str = TEXT) -> Changed:
    assert old in text
    return changed_marks(marked(text), marked(text.replace(old, new)), WORDS.__contains__)


def named(found: Changed, text: str = TEXT) -> set[str]:
    """What is touched, in words: a sentence by its first, a fact in it as such."""
    return {name for one in marked(text) for name, mark in _marks(one) if mark in (*found.touched, *found.extended)}


def _marks(one: Marked) -> list[tuple[str, str]]:
    first = one.words[0]
    facts = [(f"{first}: {word}", mark) for word, mark in one.facts.items()]
    return [
        (first, one.mark),
        (f"{first} below", one.below),
        *facts,
        *((name, mark) for name, mark in one.alone.items()),
    ]


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("for 30 days", "for 60 days", {"backups: 30"}),
        ("within 4 hours", "within a day", {"the", "the: 4"}),
        ("kept for 30 days. ", "kept for 30 days. They are encrypted. ", {"backups below"}),
        ("| Desk | EUR 400 |", "| Desk | EUR 500 |", {"desk: 400"}),
        ("Ada Lovelace", "Grace Hopper", {"ada"}),
        ("- Ada Lovelace runs the desk\n", "", {"ada", "ada below"}),
        ("`retention_days`", "`kept_days`", {"set: retention_days", "retention_days"}),
    ],
)
def test_what_changed_is_touched_and_nothing_beside(old: str, new: str, touched: set[str]) -> None:
    assert named(change(old, new)) == touched


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Backups are kept", "**Backups** are\nkept"),
        ("for 30 days. ", "for 30 days.\n"),
        ("The desk answers within 4 hours.", "The [desk](https://example.org/desk) answers within 4 hours"),
        ("| Desk | EUR 400 |", "| Desk   |  EUR 400  |"),
    ],
)
def test_looks_and_links_touch_nothing(old: str, new: str) -> None:
    assert change(old, new).touched == ()


def test_what_stands_elsewhere_touches_only_what_it_stands_below() -> None:
    moved = TEXT.replace("Set `retention_days` to 30.\n", "").replace(
        "# Service\n", "# Service\n\nSet `retention_days` to 30.\n"
    )
    assert changed_marks(marked(TEXT), marked(moved)) == Changed()


def test_a_word_that_was_none_is_mended_and_another_word_is_a_change() -> None:
    text = "The desk shall recieve calls of all minutes."
    assert change("recieve", "receive", text).touched == ()
    assert named(change("minutes", "minuets", text), text) == {"the"}
    assert named(change("desk", "dusk", text), text) == {"the"}


def test_what_is_touched_and_what_is_not_is_followed_to_its_new_mark() -> None:
    found, new = change("for 30 days", "for 60 days"), marked(TEXT.replace("for 30 days", "for 60 days"))
    old, now = marked(TEXT)[1], new[1]
    assert found.followed[old.mark] == now.mark
    assert found.followed[old.facts["30"]] == now.facts["60"]


def test_a_term_is_defined_by_what_stands_out_before_it_and_by_what_hangs_below() -> None:
    defines = {one.words[0]: one.defines for one in marked(TEXT)}
    assert (defines["outage"], defines["maintenance"], defines["ada"]) == ("Outage", "Outage", "")
    (_, opened) = marked("# Recovery point\n\nA recovery point says how much may be lost.\n")
    assert opened.defines == "recovery point"
