"""What people did to a text in a word processor, where it has no markup, is done to its Markdown."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from stemma_markdown import Document
from stemma_markdown.adopting import Returned, adopt

DRAFT = """# Title

First **bold** words with a [link](https://x.example) and more.[^1]

- one item
- two items
  - nested

| a | b |
|---|---|
| 1 | 2 |
| 3 |  |

The last one is here. It has two *fine* sentences.

[^1]: The note.
"""
_ROWS = {"a": 1, "b": 1, "1": 2, "2": 2, "3": 3}
Rows = list[Returned]


def left() -> Rows:
    return [
        Returned(
            one.text,
            (number,),
            intact=True,
            row=_ROWS.get(one.text),
            table=1 if one.text in _ROWS else None,
            cell=int(one.text in "b2"),
            in_footnote=one.in_footnote,
        )
        for number, one in enumerate(Document(DRAFT).prose)
    ]


def _at(rows: Rows, text: str) -> int:
    return next(number for number, one in enumerate(rows) if one.text.startswith(text))


def _says(rows: Rows, before: str, text: str) -> Rows:
    place = _at(rows, before)
    return [*rows[:place], replace(rows[place], text=text, intact=False), *rows[place + 1 :]]


def _without(rows: Rows, *texts: str) -> Rows:
    places = [_at(rows, text) for text in texts]
    return [one for number, one in enumerate(rows) if number not in places]


def _behind(rows: Rows, text: str, *new: Returned) -> Rows:
    place = _at(rows, text) + 1
    return [*rows[:place], *new, *rows[place:]]


def _moved(rows: Rows) -> Rows:
    return [rows[0], rows[_at(rows, "The last")], *_without(rows, "Title", "The last")]


def _split(rows: Rows) -> Rows:
    first, second = "The last one is here.", "It has two fine sentences."
    return _behind(_says(rows, "The last", first), first, Returned(second))


def _merged(rows: Rows) -> Rows:
    one, other = rows[1], rows[_at(rows, "The last")]
    merged = replace(one, text=f"{one.text} {other.text}", units=(*one.units, *other.units), intact=False)
    return [rows[0], merged, *rows[2 : _at(rows, "The last")], rows[-1]]


@pytest.mark.req("W2")
@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda r: _says(r, "First", "First brave words with a link and some more."),
         "**bold** words with a [link](https://x.example) and more",
         "**brave** words with a [link](https://x.example) and some more"),
        (lambda r: _says(r, "First", "First words with a link and more."), "First **bold** words", "First words"),
        (lambda r: _says(r, "Title", "A title"), "# Title", "# A title"),
        (lambda r: _says(r, "two", "2 * items_"), "- two items\n", "- 2 \\* items\\_\n"),
        (lambda r: _says(r, "2", "x|y"), "| 1 | 2 |", "| 1 | x\\|y |"),
        (lambda r: _says(r, "2", ""), "| 1 | 2 |", "| 1 |  |"),
        (lambda r: _says(r, "The note", "The better note."), "[^1]: The note.", "[^1]: The better note."),
        (lambda r: _without(r, "one"), "- one item\n", ""),
        (lambda r: _without(r, "1", "2"), "| 1 | 2 |\n", ""),
        (lambda r: _without(r, "First", "The note"), "First **bold** words with a [link](https://x.example) and more."
         "[^1]\n\n", ""),
        (lambda r: _behind(r, "First", Returned("# new *")), "more.[^1]\n\n", "more.[^1]\n\n\\# new \\*\n\n"),
        (lambda r: _behind(r, "First", Returned("Part", level=2)), "more.[^1]\n\n", "more.[^1]\n\n## Part\n\n"),
        (lambda r: _behind(r, "one", Returned("new", depth=0)), "- one item\n", "- one item\n- new\n"),
        (lambda r: _behind(r, "2", Returned("7", table=1, row=9), Returned("8", table=1, row=9, cell=1)),
         "| 1 | 2 |\n", "| 1 | 2 |\n| 7 | 8 |\n"),
        (lambda r: _behind(r, "3", Returned("4", table=1, row=3, cell=1)), "| 3 |  |", "| 3 | 4 |"),
        (lambda r: _behind(r, "First", Returned("p", table=7, row=8), Returned("q", table=7, row=9)),
         "more.[^1]\n\n", "more.[^1]\n\n| p |\n| --- |\n| q |\n\n"),
        (_split, "is here. It", "is here.\n\nIt"),
    ],
)  # fmt: skip
def test_a_change_of_words_changes_their_markdown_alone(change: Callable[[Rows], Rows], old: str, new: str) -> None:
    found = adopt(DRAFT, change(left()))
    expected = DRAFT.replace(old, new, 1)
    if "[^1]\n\n" in old and not new:
        expected = expected.replace("\n[^1]: The note.\n", "")
    assert found.text == expected
    assert found.unwritten == ()


@pytest.mark.req("W2")
def test_what_nobody_touched_stays_byte_for_byte() -> None:
    odd = "Setext\n===\n\n*  wide   item\n*  other\n\n\n\nLast\\\nline &amp; more   \n"
    rows = [Returned(one.text, (number,), intact=True) for number, one in enumerate(Document(odd).prose)]
    assert adopt(odd, rows).text == odd
    changed = adopt(odd, [*rows, Returned("New.")]).text
    assert changed == odd.rstrip("\n") + "\n\nNew.\n"


@pytest.mark.req("W2")
def test_a_paragraph_is_moved_and_two_become_one_with_their_markup() -> None:
    moved = adopt(DRAFT, _moved(left())).text
    last = "The last one is here. It has two *fine* sentences."
    assert moved == DRAFT.replace(f"{last}\n\n", "").replace("# Title\n\n", f"# Title\n\n{last}\n\n")
    merged = adopt(DRAFT, _merged(left())).text
    assert merged == DRAFT.replace(f"{last}\n\n", "").replace("more.[^1]\n", f"more.[^1] {last}\n")


@pytest.mark.req("W2")
def test_what_no_paragraph_showed_is_not_taken_for_deleted() -> None:
    rows = left()
    assert adopt(DRAFT, _without(rows, "one"), absent=rows[_at(rows, "one")].units).text == DRAFT


@pytest.mark.req("W2")
@pytest.mark.parametrize(
    ("words", "task"), [("do that", "[x] do that"), ("\u2610 do it", "[ ] do it"), ("\u2612 do that", "[x] do that")]
)
def test_a_task_keeps_its_box_or_gets_the_one_that_is_shown(words: str, task: str) -> None:
    assert adopt("- [x] do it\n", [Returned(words, (0,))]).text == f"- {task}\n"


@pytest.mark.req("W2")
def test_a_footnote_stays_where_it_is_defined() -> None:
    draft = "One.[^1]\n\n[^1]: Note.\n\nTwo.\n"
    one, note, two = (Returned(prose.text, (n,), intact=True) for n, prose in enumerate(Document(draft).prose))
    changed = adopt(draft, [one, replace(two, text="2.", intact=False), replace(note, in_footnote=True)])
    assert changed.text == draft.replace("Two.", "2\\.")


def _rows_of(draft: str, width: int) -> Rows:
    """The cells of a table, which are all full but those at the end of the last row."""
    return [
        Returned(one.text, (number,), intact=True, table=1, row=number // width, cell=number % width)
        for number, one in enumerate(Document(draft).prose)
    ]


def _cell(text: str, row: int, cell: int) -> Returned:
    return Returned(text, table=1, row=row, cell=cell)


@pytest.mark.req("W2")
def test_all_cells_of_a_row_keep_what_was_done_to_them() -> None:
    head = "| a | b | c |\n|---|---|---|\n"
    rows = _rows_of(f"{head}| 1 |  |  |\n", 3)
    both = [*rows[:3], replace(rows[3], text="9", intact=False), _cell("x", 1, 1), _cell("y|", 1, 2)]
    assert adopt(f"{head}| 1 |  |  |\n", both) == (f"{head}| 9 | x | y\\| |\n", ())
    further = [*rows, _cell("other table", 9, 0), _cell("more", 1, 0)]
    assert "| 1<br>more |  |  |" in adopt(f"{head}| 1 |  |  |\n", further).text


@pytest.mark.req("W2")
def test_a_cell_that_the_table_has_no_column_for_is_reported() -> None:
    draft = "| a | b |\n|---|---|\n| 1 |  |\n"
    rows = _rows_of(draft, 2)
    changed = adopt(draft, [*rows, _cell("n", 7, 0), _cell("far", 7, 2), _cell("m", 7, 1)])
    assert changed == (f"{draft}| n | m |\n", ("far",))
    quoted = "".join(f"> {line}\n" for line in draft.splitlines())
    assert adopt(quoted, [*rows, _cell("x", 1, 1)]) == (quoted, ("x",))


@pytest.mark.req("W2")
@pytest.mark.parametrize("definitions", ["[The\nLaw]: /a\n[x]: /x\n", "[x]: /x\n\n[the law]: /a 'Of 2026'\n"])
def test_words_of_a_link_that_is_defined_elsewhere_are_changed(definitions: str) -> None:
    draft = f"See [the law] and [this][x].\n\nA.\n\nB.\n\nC.\n\nD.\n\n{definitions}"
    rows = [Returned(one.text, (number,), intact=True) for number, one in enumerate(Document(draft).prose)]
    rows[0] = Returned("Read the law and that.", (0,))
    changed, unwritten = adopt(draft, rows)
    assert (changed, unwritten) == (draft.replace("See", "Read").replace("[this]", "[that]"), ())


@pytest.mark.req("W2")
def test_a_piece_that_moved_stands_once_though_it_is_said_to_be_absent() -> None:
    one, two = Returned("one", (0,), intact=True), Returned("two", (1,), intact=True)
    assert adopt("one\n\ntwo\n", [two, one], absent=(0, 1)).text == "two\n\none\n"


@pytest.mark.req("W2")
def test_a_paragraph_that_was_emptied_is_deleted_though_its_words_come_behind_it() -> None:
    rows = [Returned("", (0,)), Returned("one"), Returned("two", (1,), intact=True)]
    assert adopt("one\n\ntwo\n", rows).text.strip() == "one\n\ntwo"
