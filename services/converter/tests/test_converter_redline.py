"""A comparison of two versions: accepting all changes gives the new one, rejecting all gives the old one."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import pytest_asyncio
from docx import Document
from docx.oxml.ns import qn
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from ooxml_integrity import check
from openxml_audit import OpenXmlValidator  # type: ignore[import-untyped]
from stemma_converter.alignment import Budget, Likeness
from stemma_converter.attribution import Replay, attributed
from stemma_converter.comparison import compared
from stemma_converter.converter import Converter
from stemma_converter.tracking import Change, mark_of, read_mark
from stemma_converter.tree import Node, attributes, node, text, walk
from stemma_languages import language
from stemma_testkit.plugin import examples

from .conftest import Exporter

Parts = tuple[Any, Any]
# What is below a heading, and whether a list has room between its items, is a matter of the whole text.
LIKE_OTHERS = {"FirstParagraph": "BodyText", "Compact": ""}
CONTENTS = ("TOCHeading", "TOC1", "TOC2")


@pytest.fixture(scope="module")
def drafts() -> dict[str, tuple[str | None, ...]]:
    """Each pair of texts is a section of one document, so that pandoc runs once."""
    cases = (Path(__file__).parent / "redline.md").read_text(encoding="utf-8").split("\n=====\n")
    titled = [[f"# Title\n\n{text}\n" for text in case.split("\n-----\n")] for case in cases]
    return {"old": (None, *(old for old, _ in titled)), "new": ("# Title\n\nNow.\n", *(new for _, new in titled))}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def redline(converter: Converter, drafts: Any, plan: Any) -> bytes:
    data, _ = await Exporter(converter).export("docx", *drafts["new"], previous=drafts["old"], assets=plan)
    return data


@pytest.mark.req("G13")
@pytest.mark.parametrize(("version", "gone", "kept"), [("new", "del", "ins"), ("old", "ins", "del")])
async def test_all_changes_accepted_or_rejected_give_each_version(
    exporter: Any, drafts: Any, plan: Any, redline: bytes, version: str, gone: str, kept: str
) -> None:
    direct, _ = await exporter.export("docx", *drafts[version], assets=plan)
    expected = [line for line in lines_of(parts_of(direct)) if line[0] not in CONTENTS]
    # A comparison has no contents: its cover ends with a break.
    found = [(style, text.rstrip("\n")) for style, text in lines_of(settle(parts_of(redline), gone, kept))]
    assert found.pop()[1] == language("en").words.end_of_comparison
    assert len(expected) > 100
    assert found == expected


async def test_a_comparison_is_valid_by_two_judges(redline: bytes, tmp_path: Path) -> None:
    path = tmp_path / "redline.docx"
    path.write_bytes(redline)
    assert OpenXmlValidator().validate(path).errors == []
    assert [finding for finding in check(path) if finding.severity.name != "INFO"] == []


async def test_only_what_differs_is_tracked(exporter: Any) -> None:
    old, new = "# A\n\nThe ferry costs 410,000 a year.\n\nSame.\n", "# A\n\nThe ferry costs 395,000 a year.\n\nSame.\n"
    data, outcome = await exporter.export("docx", new, previous=[old], states={0: {"stale": True}})
    assert outcome.warnings == (), "the present state of a section is no part of a comparison"
    body, _ = parts_of(data)
    assert [("".join(change.itertext()), change.get(qn("w:author"))) for change in changes(body)] == [
        ("410,000", "Ada Lovelace"), ("395,000", "Ada Lovelace"),
    ]  # fmt: skip
    assert outcome.artifact.name == "A-plan-changes.docx"
    assert "Contents" not in [paragraph.text for paragraph in Document(BytesIO(data)).paragraphs]


FIRST = "# A\n\nThe ferry costs 410,000 a year.\n\nIt sails daily.\n\n| a | b |\n|---|---|\n| one | two |\n| x | y |\n"
SECOND = FIRST.replace("410,000", "395,000")
THIRD = SECOND.replace("It sails daily.", "It sails twice a day.\n\nIt carries cars.").replace("| x | y |\n", "")


def made(data: bytes) -> dict[str, tuple[str | None, str | None]]:
    body, _ = parts_of(data)
    keys = (qn("w:author"), qn("w:date"))
    texts = (("".join(change.itertext()), *map(change.get, keys)) for change in changes(body))
    return {text: (author, date) for text, author, date in texts if text}


@pytest.mark.req("W5")
async def test_each_change_names_who_made_it_and_when(exporter: Any) -> None:
    data, _ = await exporter.export("docx", THIRD, previous=[FIRST], history=[("ann", SECOND), ("editor-agent", THIRD)])
    ann, editor = ("ann", "2025-03-06T05:06:07Z"), ("editor-agent", "2025-03-07T05:06:07Z")
    found = made(data)
    assert {found[text] for text in ("410,000", "395,000")} == {ann}
    assert {found[text] for text in ("daily.", "twice a day.", "It carries cars.", "x", "y")} == {editor}


@pytest.mark.req("W5")
async def test_a_change_of_two_names_both_and_one_that_nobody_is_known_for_is_the_houses(exporter: Any) -> None:
    last = SECOND.replace("395,000", "395,000 euros")
    data, _ = await exporter.export("docx", last, previous=[FIRST], history=[("ann", SECOND), ("bob", last)])
    assert made(data)["395,000 euros"] == ("ann, bob", "2025-03-07T05:06:07Z")
    data, _ = await exporter.export("docx", SECOND, previous=[FIRST], history=[("ann", None), ("bob", SECOND)])
    assert {author for author, _ in made(data).values()} == {"ann, bob"}, "versions that cannot be replayed"
    data, _ = await exporter.export("docx", SECOND, previous=[FIRST], history=[("", SECOND)])
    assert {author for author, _ in made(data).values()} == {"Ada Lovelace"}


@given(
    st.lists(st.sampled_from(["one two three", "one three", "two one", "three four one", ""]), min_size=2, max_size=5)
)
@examples(60)
def test_every_change_has_makers_whatever_lies_between(texts: list[str]) -> None:
    old, *steps = [[node("Para", text(words))] if words else [] for words in texts]
    replay = Replay(texts[0], texts[1:], range(len(texts) - 1))
    marked = attributed(compared(old, steps[-1]), replay)
    begun = [mark for item in walk(marked) if (mark := mark_of(item)) and mark.change]
    assert all(mark.makers for mark in begun)
    assert leaves(marked, without=Change.DELETED) == leaves(steps[-1])


def words(*options: str) -> st.SearchStrategy[list[Node]]:
    leaves = st.sampled_from([*text(" ".join(options)), node("LineBreak"), node("SoftBreak")])
    return st.lists(leaves | leaves.map(lambda leaf: node("Emph", [leaf])), min_size=1, max_size=6)


LINES = words("one", "two", "three")
BLOCKS = st.recursive(
    st.one_of(
        LINES.map(lambda line: node("Para", line)),
        LINES.map(lambda line: node("Header", 2, attributes(), line)),
        st.sampled_from(["a\nb", "a\nc", "d"]).map(lambda code: node("CodeBlock", attributes(), code)),
        st.just(node("HorizontalRule")),
    ),
    lambda inner: st.one_of(
        st.lists(st.lists(inner, min_size=1, max_size=2), min_size=1, max_size=3).map(lambda x: node("BulletList", x)),
        st.lists(inner, min_size=1, max_size=2).map(lambda x: node("BlockQuote", x)),
    ),
    max_leaves=6,
)
TREES = st.lists(BLOCKS, max_size=5)


@given(TREES, TREES)
@examples(60)
def test_a_tree_with_marks_holds_both_versions(old: list[Node], new: list[Node]) -> None:
    marked = compared(old, new)
    assert leaves(marked, without=Change.DELETED) == leaves(new)
    assert leaves(marked, without=Change.INSERTED) == leaves(old)


@given(TREES)
@examples(25)
def test_equal_trees_have_no_marks(tree: list[Node]) -> None:
    assert compared(tree, tree) == tree


def test_texts_that_repeat_themselves_end_the_comparison_and_not_the_service() -> None:
    old, new = ["same", *"ab" * 200, "end"], ["same", *"baabc" * 100, "end"]
    assert list(Budget(100_000).opcodes(old, new)) == [
        ("equal", 0, 1, 0, 1), ("replace", 1, 401, 1, 501), ("equal", 401, 402, 501, 502),
    ]  # fmt: skip
    blocks = [node("Para", text(" ".join(words))) for words in (old, new)]
    marked = compared([blocks[0]], [blocks[1]])
    assert leaves(marked, without=Change.DELETED) == new
    assert leaves(marked, without=Change.INSERTED) == old


def test_setting_blocks_side_by_side_is_paid_from_the_budget() -> None:
    old, new = (Likeness.of("text", words) for words in ("one two three", "one two four"))
    budget = Budget(4)
    assert [budget.similar(old, new), budget.similar(old, new)] == [True, False]
    pairs = [(Likeness.of("text", "a b"), Likeness.of(kind, "a b")) for kind in ("text", "table", None)]
    assert [Budget().similar(*pair) for pair in pairs] == [True, False, False]


def leaves(blocks: list[Node], without: Change | None = None) -> list[str]:
    """Words and breaks in order, those between marks of one kind left out; code by lines."""
    found: list[str] = []
    inside: Change | None = None
    for item in walk(blocks):
        if item["t"] in ("RawBlock", "RawInline"):
            mark = read_mark(item["c"][1].split('"')[3])
            assert mark
            inside = mark[1]
        elif inside is None or inside is not without:
            found += list(_leaf(item))
    return found


def _leaf(item: Node) -> Iterator[str]:
    match item:
        case {"t": "Str", "c": word} | {"t": "Code", "c": [_, word]}:
            yield str(word)
        case {"t": "CodeBlock", "c": [_, code]}:
            yield from code.split("\n")
        case {"t": "HorizontalRule"}:
            yield "---"


def changes(body: Any) -> Iterator[Any]:
    yield from body.iter(qn("w:ins"), qn("w:del"))


def parts_of(package: bytes) -> Parts:
    with ZipFile(BytesIO(package)) as parts:
        return etree.fromstring(parts.read("word/document.xml")), etree.fromstring(parts.read("word/footnotes.xml"))


def settle(parts: Parts, gone: str, kept: str) -> Parts:
    """What a word processor makes of the changes: those of one kind stay, those of the other go."""
    for root in parts:
        for row in [mark.getparent().getparent() for mark in root.iter(qn(f"w:{gone}")) if is_row_mark(mark)]:
            row.getparent().remove(row)
        for paragraph in [
            mark.getparent().getparent().getparent() for mark in root.iter(qn(f"w:{gone}")) if is_end(mark)
        ]:
            merge_with_next(paragraph, gone)
        for change in list(root.iter(qn("w:pPrChange"))):
            restore_look(change, restored=gone == "ins")
        for change in list(root.iter(qn(f"w:{gone}"))):
            change.getparent().remove(change)
        for table in [table for table in root.iter(qn("w:tbl")) if table.find(qn("w:tr")) is None]:
            table.getparent().remove(table)
        assert all(len(change) or is_end(change) or is_row_mark(change) for change in root.iter(qn(f"w:{kept}")))
    return parts


def restore_look(change: Any, *, restored: bool) -> None:
    properties = change.getparent()
    for child in list(properties) if restored else [change]:
        properties.remove(child)
    properties.extend(list(change[0]) if restored else [])


def is_row_mark(change: Any) -> bool:
    return bool(change.getparent().tag == qn("w:trPr"))


def is_end(change: Any) -> bool:
    return bool(change.getparent().tag == qn("w:rPr"))


def merge_with_next(paragraph: Any, gone: str) -> None:
    """A paragraph without its end: what stays of it goes to the next one, which there must be."""
    following = next((e for e in paragraph.itersiblings() if e.tag in (qn("w:p"), qn("w:tbl"))), None)
    assert following is not None
    content = [child for child in paragraph if child.tag != qn("w:pPr")]
    if following.tag == qn("w:tbl"):
        assert {child.tag for child in content} <= {qn(f"w:{gone}")}
    else:
        start = 1 if following.find(qn("w:pPr")) is not None else 0
        following[start:start] = content
    paragraph.getparent().remove(paragraph)


def lines_of(parts: Parts) -> list[tuple[str, str]]:
    """Style and text of every paragraph, also the empty ones; what a footnote says stands where it is referred to."""
    body, footnotes = parts
    notes = {note.get(qn("w:id")): "".join(map(shown, note.iter())) for note in footnotes.iter(qn("w:footnote"))}
    lines = []
    for paragraph in body.iter(qn("w:p")):
        style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        place = "| " * sum(1 for _ in paragraph.iterancestors(qn("w:tc")))
        words = "".join(notes[e.get(qn("w:id"))].join("[]") if e.tag == qn("w:footnoteReference") else shown(e)
                        for e in paragraph.iter())  # fmt: skip
        name = style.get(qn("w:val"), "") if style is not None else ""
        lines.append((LIKE_OTHERS.get(name, name), place + words))
    return lines


def shown(element: etree._Element) -> str:
    if element.tag in (qn("w:t"), qn("w:delText"), qn("m:t")):
        return element.text or ""
    return {qn("w:br"): "\n", qn("w:drawing"): "(image)", qn("w:pict"): "(rule)"}.get(str(element.tag), "")
