"""A DOCX comes back from Word or LibreOffice: every change of people is found, and none is invented."""

import asyncio
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from stemma_contracts.v1.returned import ReturnedEdit
from stemma_converter.converter import Converter
from stemma_converter.placing import Draft
from stemma_converter.returned import NotReturned, changes_in, drafts_shown, merged_edits
from stemma_ooxml.word import W

from .returned_files import (
    AUTHOR,
    R,
    Remark,
    Root,
    commented,
    edited,
    end_of,
    exported,
    gone_tracked,
    merge_silent,
    merge_tracked,
    move_tracked,
    new_behind,
    new_row,
    paragraph,
    read,
    remove,
    row_of,
    run_of,
    silent,
    split_before,
    text_of,
    tracked,
    wrap,
)

DRAFT = """# Approach

We start with the **inventory** of all sites and end with the hand-over.[^1]

- We visit each site.
- We write down what we find.

| Step | Weeks |
|------|-------|
| Visit | 4 |
| Report | 2 |

## The second part

The report names every site. It is sent to the buyer.

A paragraph that stays as it is, whatever happens around it.

The last words of the section, with a [link](https://x.example).

[^1]: As the request asks.
"""
OTHER = (
    "# Prices\n\nThe price is 4,000 euro in all, paid after the hand-over of the report.\n\nNothing else is charged.\n"
)


@pytest.fixture(scope="module")
def left(converter: Converter) -> tuple[bytes, tuple[Draft, ...]]:
    return asyncio.run(exported(converter, DRAFT, OTHER))


_REPORT = "The report names every site. It is sent to the buyer.\n\n"
STAYS = "A paragraph that stays as it is, whatever happens around it.\n\n"
_LAST = "The last words of the section, with a [link](https://x.example).\n\n"
WAYS: dict[str, tuple[Callable[[Root], Any], str, str]] = {
    "tracked words": (lambda r: tracked(paragraph(r, "The report"), "every", "each"), "names every", "names each"),
    "silent words": (lambda r: silent(paragraph(r, "The report"), "every", "each"), "names every", "names each"),
    "emphasised words": (lambda r: silent(paragraph(r, "We start"), "inventory", "list"), "**inventory**", "**list**"),
    "new": (lambda r: new_behind(paragraph(r, "The report"), "New *one*."), _REPORT, _REPORT + "New \\*one\\*.\n\n"),
    "tracked new": (lambda r: new_behind(paragraph(r, "The report"), "New.", is_tracked=True), _REPORT,
                    _REPORT + "New.\n\n"),
    "tracked gone": (lambda r: gone_tracked(paragraph(r, "The report")), _REPORT, ""),
    "silent gone": (lambda r: remove(paragraph(r, "The report")), _REPORT, ""),
    "tracked move": (lambda r: move_tracked(paragraph(r, "The last"), paragraph(r, "The report")), _REPORT,
                     _LAST + _REPORT),
    "silent move": (lambda r: paragraph(r, "The report").addprevious(paragraph(r, "The last")), _REPORT,
                    _LAST + _REPORT),
    "split": (lambda r: split_before(paragraph(r, "The report"), "It is sent to the buyer."), "site. It",
              "site.\n\nIt"),
    "tracked merge": (lambda r: merge_tracked(paragraph(r, "The report")), "buyer.\n\nA par", "buyer. A par"),
    "silent merge": (lambda r: merge_silent(paragraph(r, "The report"), paragraph(r, "A paragraph")),
                     "buyer.\n\nA par", "buyer. A par"),
    "copy": (lambda r: paragraph(r, "A paragraph").addnext(deepcopy(paragraph(r, "A paragraph"))), STAYS,
             STAYS + STAYS),
    "cell": (lambda r: silent(paragraph(r, "Visit"), "Visit", "Tour"), "| Visit |", "| Tour |"),
    "row": (lambda r: new_row(row_of(paragraph(r, "Visit")), ("Check", "3")), "| Visit | 4 |\n",
            "| Visit | 4 |\n| Check | 3 |\n"),
    "row gone": (lambda r: remove(row_of(paragraph(r, "Visit"))), "| Visit | 4 |\n", ""),
    "item": (lambda r: tracked(paragraph(r, "We visit"), "each", "every"), "visit each", "visit every"),
    "new item": (lambda r: new_behind(paragraph(r, "We visit"), "We ask.", like=True), "site.\n- We w",
                 "site.\n- We ask.\n- We w"),
    "item gone": (lambda r: remove(paragraph(r, "We write")), "- We write down what we find.\n", ""),
    "heading": (lambda r: silent(paragraph(r, "The second"), "second", "next"), "## The second", "## The next"),
}  # fmt: skip


def expected(old: str, new: str) -> str:
    draft = DRAFT.replace(_LAST, "", 1) if new.startswith(_LAST) else DRAFT
    assert draft.count(old) == 1
    return draft.replace(old, new)


@pytest.mark.req("W2", "W3")
@pytest.mark.parametrize("way", WAYS)
def test_what_people_did_is_found_and_nothing_else(left: tuple[bytes, tuple[Draft, ...]], way: str) -> None:
    edit, old, new = WAYS[way]
    content, drafts = left
    sections = read(edited(content, edit), drafts).sections
    assert {one.section_id: one.edits[-1].after for one in sections if one.edits} == {"s0": expected(old, new)}
    who = ["Bea Boss"] if way.startswith("tracked") or way == "item" else ["Ada Lovelace"]
    assert [edit.author for edit in sections[0].edits] == who
    assert all(not one.unwritten for one in sections)


@pytest.mark.req("W2")
def test_a_file_that_nobody_changed_says_so(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    found = read(*left)
    assert [(one.section_id, one.edits, one.comments) for one in found.sections] == [("s0", (), ()), ("s1", (), ())]
    assert (found.around, found.certainty) == ((), 1.0)


@pytest.mark.req("W2")
def test_footnotes_come_back(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    content, drafts = left
    noted = edited(content, lambda root: silent(paragraph(root, "As the"), "request", "buyer"), "word/footnotes.xml")
    assert read(noted, drafts).sections[0].edits[-1].after == DRAFT.replace("As the request", "As the buyer")


def _reference(root: Root) -> Root:
    [reference] = root.iter(f"{W}footnoteReference")
    run = reference.getparent()
    assert run is not None
    return run


@pytest.mark.req("W2")
def test_a_note_that_lost_its_mark_is_the_one_that_its_paragraph_refers_to(
    left: tuple[bytes, tuple[Draft, ...]],
) -> None:
    content, drafts = left

    def rewritten(root: Root) -> None:
        for mark in list(root.iter(f"{W}bookmarkStart")):
            remove(mark)
        silent(paragraph(root, "As the"), "As the request asks", "Wholly other words")

    noted = edited(content, rewritten, "word/footnotes.xml")
    assert read(noted, drafts).sections[0].edits[-1].after == DRAFT.replace("As the request asks", "Wholly other words")
    emptied = edited(content, lambda root: remove(paragraph(root, "As the")), "word/footnotes.xml")
    assert read(emptied, drafts).sections[0].edits == (), "words that a program loses are nobody's change"


@pytest.mark.req("W2")
async def test_a_note_in_whose_place_a_program_put_a_copy_of_another_one_stays(converter: Converter) -> None:
    draft = "One.[^1]\n\nTwo.[^2]\n\n[^1]: Note a is here.\n\n[^2]: Note b is there.\n"
    content, drafts = await exported(converter, draft)

    def copied(root: Root) -> None:
        silent(paragraph(root, "Note a"), "here", "new")
        first, second = paragraph(root, "Note a"), paragraph(root, "Note b")
        second.getparent().replace(second, deepcopy(first))  # type: ignore[union-attr]

    back = read(edited(content, copied, "word/footnotes.xml"), drafts)
    assert back.sections[0].edits[-1].after == draft.replace("is here", "is new")


@pytest.mark.req("W2")
@pytest.mark.parametrize("is_tracked", [True, False], ids=["tracked", "silent"])
def test_a_note_that_was_deleted_is_gone_with_its_reference(
    left: tuple[bytes, tuple[Draft, ...]], is_tracked: bool
) -> None:
    def tracked_away(root: Root) -> None:
        change = etree.Element(f"{W}del", AUTHOR)
        _reference(root).addprevious(change)
        change.append(_reference(root))

    content, drafts = left
    if is_tracked:
        changed = edited(content, tracked_away)
    else:
        changed = edited(content, lambda root: remove(_reference(root)))
        changed = edited(changed, lambda root: remove(root[-1]), "word/footnotes.xml")
    section = read(changed, drafts).sections[0]
    assert (
        section.edits[-1].after == DRAFT.replace("[^1]: As the request asks.\n", "").replace("[^1]", "").rstrip() + "\n"
    )
    assert section.edits[-1].author == ("Bea Boss" if is_tracked else "Ada Lovelace")


@pytest.mark.req("W2")
@pytest.mark.parametrize(
    "texts",
    [
        ("One.[^1] Two.[^2] Three.[^3]\n\n[^1]: Note a.\n\n[^2]: Note b.\n\n[^3]: Note c.\n", "Alpha.\n\nBeta.\n"),
        ("| a | b |\n|---|---|\n| one | two |\n\nSee.[^1]\n\n[^1]: two\n",),
        ((Path(__file__).parent / "redline.md").read_text(),),
    ],
    ids=["more notes than paragraphs", "a note like a cell", "a note like a cell among others"],
)
async def test_footnotes_change_nothing_in_a_file_that_nobody_changed(
    converter: Converter, texts: tuple[str, ...]
) -> None:
    found = read(*await exported(converter, *texts))
    assert [one.section_id for one in found.sections] == [f"s{number}" for number in range(len(texts))]
    assert [(one.edits, one.unwritten) for one in found.sections] == [((), ())] * len(texts)
    assert found.around == ()


@pytest.mark.req("W2")
@pytest.mark.parametrize(
    ("start", "old", "new"), [("Table 1: Costs", "Costs of", "Prices of"), ("Note", "Note: the", "Hint: an")]
)
async def test_an_edited_caption_keeps_the_label_of_its_draft(
    converter: Converter, start: str, old: str, new: str
) -> None:
    draft = "# Costs\n\nTable: Costs of all\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nNote: the end.\n"
    content, drafts = await exported(converter, draft)
    changed = edited(content, lambda root: silent(paragraph(root, start), old, new))
    assert read(changed, drafts).sections[0].edits[-1].after == draft.replace(old, new)
    unmarked = edited(content, lambda root: etree.strip_elements(root, f"{W}bookmarkStart"))
    assert read(unmarked, drafts).sections[0].edits == (), "a number of the export is nobody's change"


def _without_picture(root: Root) -> None:
    run = next(one.getparent() for one in paragraph(root, "See the").iter(f"{W}drawing"))
    assert run is not None
    remove(run)


@pytest.mark.req("W2", "W3")
async def test_the_description_of_a_picture_that_came_among_words_is_none_of_them(
    converter: Converter, make_picture: Callable[..., bytes]
) -> None:
    draft = "See the ![arrow](plan.png) in the north.\n\nThe end.\n"
    content, drafts = await exported(converter, draft, assets={"plan.png": make_picture()})

    def edit(root: Root) -> None:
        _picture_among_words(root)
        silent(paragraph(root, "The end"), "end", "last")
        silent(paragraph(root, "See the"), "See", "Find")
        new = new_behind(paragraph(root, "The last"), "New words.")
        new.append(deepcopy(paragraph(root, "The last")[-1]))

    section = read(edited(content, edit), drafts).sections[0]
    assert section.edits[-1].after == draft.replace("See", "Find").replace("end", "last") + "\nNew words.\n"
    assert [(one.change, one.about) for one in section.unsupported] == [("picture_added", "A chart of sales")] * 2


@pytest.mark.req("W2", "W3")
@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (lambda root: silent(paragraph(root, "See the"), "See", "Find"), "See", "Find"),
        (_without_picture, "![arrow](plan.png)", ""),
        (lambda root: silent(paragraph(root, "Figure 1: The site"), "site", "whole"), "The site", "The whole"),
    ],
    ids=["words beside a picture", "a picture among words", "a caption"],
)
async def test_pictures_come_back(
    converter: Converter, make_picture: Callable[..., bytes], edit: Callable[[Root], None], old: str, new: str
) -> None:
    draft = "# Site\n\n![The site](plan.png)\n\nSee the ![arrow](plan.png) in the north.\n"
    content, drafts = await exported(converter, draft, assets={"plan.png": make_picture()})
    assert read(content, drafts).sections[0].edits == ()
    assert read(edited(content, edit), drafts).sections[0].edits[-1].after == draft.replace(old, new)


@pytest.mark.req("W2")
def test_changes_of_two_people_are_an_edit_of_each(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    def both(root: Root) -> None:
        tracked(paragraph(root, "The report"), "every", "each")
        tracked(paragraph(root, "A paragraph"), "whatever", "what", author="Carl")

    content, drafts = left
    edits = read(edited(content, both), drafts).sections[0].edits
    assert [(edit.author, "each site" in edit.after, "what happens" in edit.after) for edit in edits] == [
        ("Bea Boss", True, False),
        ("Carl", True, True),
    ]
    assert edits[0].at is not None


@pytest.mark.req("W2")
def test_changes_of_two_people_in_one_sentence_come_back_twice(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    def both(root: Root) -> None:
        tracked(paragraph(root, "The report"), "every", "each")
        tracked(paragraph(root, "The report"), "names", "lists", author="Carl")

    content, drafts = left
    edits = read(edited(content, both), drafts).sections[0].edits
    assert len(edits) == 2
    assert merged_edits(edits, edits[-1].after, "en") == ((), ())


@pytest.mark.req("W2")
@pytest.mark.parametrize("is_tracked", [True, False], ids=["tracked", "silent"])
@pytest.mark.parametrize("section", [0, 1])
def test_a_section_without_text_is_told_and_keeps_its_text(
    left: tuple[bytes, tuple[Draft, ...]], section: int, is_tracked: bool
) -> None:
    def gone(root: Root) -> None:
        tracked(paragraph(root, "The report"), "every", "each", author="Carl")
        for mark in list(root.iter(f"{W}bookmarkStart")):
            if not mark.get(f"{W}name", "").startswith(f"stm_{section}_{drafts[section].digest[:8]}_"):
                continue
            one = mark.getparent()
            assert one is not None
            if is_tracked:
                wrap(one, "del")
                end_of(one, "del")
            else:
                remove(one)

    content, drafts = left
    found = read(edited(content, gone), drafts)
    assert [one.removed for one in found.sections] == [section == 0, section == 1]
    assert found.sections[section].edits == ()
    assert [edit.author for edit in found.sections[1 - section].edits] == (["Carl"] if section else [])


@pytest.mark.req("W2")
def test_times_with_and_without_a_zone_are_compared(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    def both(root: Root) -> None:
        tracked(paragraph(root, "The report"), "every", "each")
        tracked(paragraph(root, "A paragraph"), "whatever", "what", date="2026-11-22T11:00:00")

    content, drafts = left
    [edit] = read(edited(content, both), drafts).sections[0].edits
    assert edit.at == datetime(2026, 11, 22, 11, tzinfo=UTC)


@pytest.mark.req("W2")
def test_a_paragraph_that_went_to_another_section_is_there(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    content, drafts = left
    moved = edited(content, lambda r: paragraph(r, "The price").addnext(paragraph(r, "The report")))
    first, second = read(moved, drafts).sections
    assert first.edits[-1].after == DRAFT.replace(_REPORT, "")
    assert second.edits[-1].after == OTHER.replace("Nothing", _REPORT + "Nothing")


@pytest.mark.req("W2")
def test_a_file_of_another_document_is_refused_and_one_without_marks_is_read_by_its_words(
    left: tuple[bytes, tuple[Draft, ...]],
) -> None:
    content, drafts = left
    for known in (drafts, [Draft("x", 1, "0" * 64, "")]):
        with pytest.raises(NotReturned, match="of the document doc-1"):
            drafts_shown(content, "doc-2", known)

    def stranger(root: Root) -> None:
        for mark in list(root.iter(f"{W}bookmarkStart")):
            remove(mark)
        silent(paragraph(root, "The report"), "every", "each")

    with pytest.raises(NotReturned, match="of the document doc-1"):
        drafts_shown(edited(content, stranger), "doc-2", drafts)
    found = read(edited(content, stranger), drafts)
    assert found.sections[0].edits[-1].after == DRAFT.replace("names every", "names each")
    assert 0.9 < found.certainty <= 1
    with pytest.raises(NotReturned, match="of another one"):
        changes_in(edited(content, stranger), [Draft("x", 1, "0" * 64, "Wholly other words stand here, and no more.")])
    with pytest.raises(NotReturned, match="cannot be read as DOCX"):
        drafts_shown(b"%PDF-1.7", "doc-1", drafts)


def _with_unseen(root: Root) -> None:
    hidden = run_of(" Unseen.")
    etree.SubElement(etree.SubElement(hidden, f"{W}rPr"), f"{W}vanish")
    hidden.insert(0, hidden[-1])
    paragraph(root, "A paragraph that").append(hidden)


def _all_runs(root: Root) -> Sequence[Root]:
    return [run for run in paragraph(root, "A paragraph that").iter(f"{W}r") if text_of(run)]


@pytest.mark.req("W2")
def test_comments_come_back_with_their_answers_their_state_and_what_a_reader_sees_of_their_words(
    left: tuple[bytes, tuple[Draft, ...]],
) -> None:
    content, drafts = left
    asked, typo = Remark("Why?"), Remark("Typo.", resolved=True)
    remarks = asked, Remark("As agreed.", answers=1), typo, Remark("Thanks.", answers=3)
    returned = commented(edited(content, _with_unseen), [(one, _all_runs) for one in remarks])
    first, second = read(returned, drafts).sections
    names = {one.comment_id: one.text for one in first.comments}
    assert [(one.text, names.get(one.parent), one.resolved) for one in first.comments] == [
        ("Why?", None, False),
        ("As agreed.", "Why?", False),
        ("Typo.", None, True),
        ("Thanks.", "Typo.", True),
    ]
    assert {one.quote for one in first.comments} == {STAYS.strip()}
    assert (first.edits, second.comments) == ((), ())


@pytest.mark.req("W2")
def test_a_section_that_changed_since_is_merged_or_told(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    content, drafts = left
    edits = read(edited(content, WAYS["tracked words"][0]), drafts).sections[0].edits
    newer = DRAFT.replace("of all sites", "of 12 sites")
    merged, conflicts = merged_edits(edits, newer, "en")
    assert [edit.after for edit in merged] == [newer.replace("names every", "names each")]
    assert conflicts == ()
    merged, conflicts = merged_edits(edits, DRAFT.replace("names every site", "lists every site"), "en")
    assert [edit.after for edit in merged] == [edits[-1].after], "the words of the file"
    assert [(one.file, one.document) for one in conflicts] == [
        ("The report names each site.", "The report lists every site.")
    ]
    assert merged_edits(edits, edits[-1].after, "en") == ((), ()), "what comes back twice is taken over once"


@pytest.mark.req("W2")
def test_a_file_that_was_edited_on_after_it_was_taken_over_is_in_no_conflict_with_itself() -> None:
    before = "# A\n\nOne is here. Two is there.\n\nThree goes.\n"
    first = "# A\n\nOne is here now. Two is there.\n\nNew words.\n\nThree goes.\n"
    second = "# A\n\nOne is here now. Two is gone.\n\nNew words.\n\nMore new words.\n\nThree stays.\n"
    again = [ReturnedEdit(author="Bea", before=before, after=second)]
    merged, conflicts = merged_edits(again, first, "en")
    assert ([edit.after for edit in merged], conflicts) == ([second], ())
    other = first.replace("Three goes.", "Three went.")
    assert [one.document for one in merged_edits(again, other, "en")[1]] == ["Three went."]


@pytest.mark.req("W2")
@pytest.mark.parametrize(
    ("before", "file", "document"),
    [
        ("See [it](http://a.example) now.\n", "See it now, please.\n", "See [it](http://b.example) now.\n"),
        ("It is **never** so.\n", "It is never so now.\n", "It is *never* so.\n"),
    ],
)
def test_a_change_of_a_target_or_emphasis_that_the_words_of_a_file_replace_is_told(
    before: str, file: str, document: str
) -> None:
    _, conflicts = merged_edits([ReturnedEdit(author="Bea", before=before, after=file)], document, "en")
    assert len(conflicts) == 1


def _picture(root: Root, number: int = 0) -> Root:
    """A paragraph that is a picture."""
    found = [one for one in root.iter(f"{W}p") if not text_of(one).strip() and list(one.iter(f"{W}drawing"))]
    return found[number]


def _added_picture(root: Root) -> None:
    new = deepcopy(_picture(root))
    next(new.iter("{*}docPr")).set("descr", "a sketch")
    paragraph(root, "The end").addprevious(new)


def _other_formula(root: Root) -> None:
    next(root.iter("{http://schemas.openxmlformats.org/officeDocument/2006/math}t")).text = "z"


_RULE = (
    f'<w:p xmlns:w="{W[1:-1]}"><w:r><w:drawing><wsp xmlns="http://schemas.microsoft.com/office/word/2010/'
    'wordprocessingShape"/></w:drawing></w:r></w:p>'
)


def _replaced(root: Root) -> None:
    blips = list(root.iter("{*}blip"))
    blips[0].set(f"{R}embed", blips[1].get(f"{R}embed", ""))


def _picture_among_words(root: Root) -> None:
    run = deepcopy(next(one.getparent() for one in root.iter(f"{W}drawing")))
    assert run is not None
    next(run.iter("{*}docPr")).set("descr", "A chart of sales")
    paragraph(root, "The end").append(run)


OBJECTS: dict[str, tuple[Callable[[Root], None], tuple[str, str]]] = {
    "added": (_added_picture, ("picture_added", "a sketch")),
    "added among words": (_picture_among_words, ("picture_added", "A chart of sales")),
    "gone": (lambda root: remove(_picture(root)), ("picture_gone", "The site")),
    "replaced": (_replaced, ("picture_replaced", "The site")),
    "moved": (lambda root: paragraph(root, "The end").addprevious(_picture(root)), ("picture_moved", "The site")),
    "formula": (_other_formula, ("formulas_changed", "")),
}


@pytest.mark.req("W2", "W3")
async def test_changes_of_pictures_and_of_formulas_are_told_and_change_no_text(
    converter: Converter, make_picture: Callable[..., bytes]
) -> None:
    draft = (
        "# Site\n\nIt is flat.\n\n![The site](plan.png)\n\nIt holds $x + y$ of it.\n\nThe end.\n\n![Other](other.png)\n"
    )
    assets = {"plan.png": make_picture(), "other.png": make_picture(100, 100)}
    content, drafts = await exported(converter, draft, assets=assets)
    assert read(content, drafts).sections[0].unsupported == ()
    edit = edited(content, lambda root: silent(paragraph(root, "It is flat"), "flat", "steep"))
    assert read(edit, drafts).sections[0].unsupported == ()
    for way, (change, told) in OBJECTS.items():
        section = read(edited(content, change), drafts).sections[0]
        assert [(one.change, one.about) for one in section.unsupported] == [told], way
        assert section.edits == (), way
    ruled = edited(content, lambda root: paragraph(root, "The end").addprevious(etree.fromstring(_RULE)))
    assert read(ruled, drafts).sections[0].unsupported == (), "the line that LibreOffice makes of a rule"
    without = edited(content, lambda root: remove(_picture(root)))
    both = read(edited(without, lambda root: remove(paragraph(root, "Figure 1"))), drafts)
    assert (both.sections[0].unsupported, len(both.sections[0].edits)) == ((), 1), "an edit, told as such"
