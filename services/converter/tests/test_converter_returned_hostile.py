"""A DOCX that comes back damaged, with words that nobody sees, or from very many people does no harm."""

import asyncio
from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

import pytest
from lxml import etree
from stemma_converter.converter import Converter
from stemma_converter.objects import Objects, Placed, changed_objects
from stemma_converter.placing import Draft
from stemma_converter.placing import Placed as PlacedParagraphs
from stemma_converter.returned import NotReturned
from stemma_markdown import document_of
from stemma_ooxml.word import ORIGIN, Left, Paragraph, W, marked
from stemma_testkit.counting import calls

from .returned_files import AUTHOR, Root, edited, exported, new_behind, paragraph, read, run_of, with_part
from .test_converter_returned import DRAFT, STAYS


@pytest.fixture(scope="module")
def left(converter: Converter) -> tuple[bytes, tuple[Draft, ...]]:
    return asyncio.run(exported(converter, DRAFT))


def crowd(root: Root, authors: int) -> None:
    one = paragraph(root, "A paragraph")
    for number in range(authors):
        one.append(etree.Element(f"{W}ins", AUTHOR | {f"{W}author": f"A{number}"}))
        one[-1].append(run_of(f" w{number}"))


@pytest.mark.req("S6")
def test_the_authors_of_very_many_changes_are_told_as_others(left: tuple[bytes, tuple[Draft, ...]]) -> None:
    content, drafts = left
    edits = read(edited(content, lambda root: crowd(root, 60)), drafts).sections[0].edits
    assert [edit.author for edit in edits] == [*(f"A{number}" for number in range(50)), "10 others"]
    assert edits[-1].after == DRAFT.replace(STAYS.strip(), f"{STAYS.strip()} " + " ".join(f"w{n}" for n in range(60)))


@pytest.mark.req("S6")
async def test_sections_that_an_author_left_as_they_were_are_not_parsed_again(converter: Converter) -> None:
    other = "".join(f"It is *said* that {number} of [them](https://x.example) stay. " for number in range(120))
    content, drafts = await exported(converter, DRAFT, other)

    def work(authors: int) -> int:
        changed = edited(content, lambda root: crowd(root, authors))
        return calls(lambda: read(changed, drafts))

    assert work(9) < 3 * work(1)


@pytest.mark.req("S6")
@pytest.mark.parametrize("part", ["word/styles.xml", "word/footnotes.xml", "docProps/core.xml"])
def test_a_file_with_a_damaged_part_is_refused_by_its_name(left: tuple[bytes, tuple[Draft, ...]], part: str) -> None:
    content, drafts = left
    with pytest.raises(NotReturned, match=rf"cannot be read as DOCX: The part {part}"):
        read(with_part(content, part, b"<damaged"), drafts)


@pytest.mark.req("S6")
def test_damaged_data_of_another_program_does_no_harm_and_ours_is_refused(
    left: tuple[bytes, tuple[Draft, ...]],
) -> None:
    content, drafts = left
    part = "customXml/item1.xml"
    assert read(with_part(content, part, b"<damaged"), drafts) == read(content, drafts)
    with pytest.raises(NotReturned, match=f"cannot be read as DOCX: The part {part}"):
        read(with_part(content, part, f'<document xmlns="{ORIGIN}"'.encode()), drafts)


@pytest.mark.req("S6")
@pytest.mark.parametrize("level", ["999999999", "9" * 5000], ids=["deep", "long"])
def test_numbers_of_any_length_in_a_file_do_no_harm(left: tuple[bytes, tuple[Draft, ...]], level: str) -> None:
    content, drafts = left

    def deep(root: Root) -> None:
        new = new_behind(paragraph(root, "The report"), "Deep.")
        listed = etree.SubElement(etree.SubElement(new, f"{W}pPr"), f"{W}numPr")
        etree.SubElement(listed, f"{W}ilvl", {f"{W}val": level})
        etree.SubElement(listed, f"{W}numId", {f"{W}val": "1"})
        new.insert(0, new[-1])

    def long(root: Root) -> None:
        root[0].set("version", level)
        root[0].set("absent", level)

    found = read(edited(edited(content, deep), long, "customXml/item1.xml"), drafts)
    assert "- Deep." in found.sections[0].edits[-1].after
    assert len(found.sections[0].edits[-1].after) < 2 * len(DRAFT)


@pytest.mark.req("W2")
@pytest.mark.parametrize(("value", "shown"), [(None, False), ("1", False), ("0", True), ("false", True)])
def test_hidden_text_is_not_read_as_words(
    left: tuple[bytes, tuple[Draft, ...]], value: str | None, shown: bool
) -> None:
    def hide(root: Root) -> None:
        run = run_of("Unseen. ")
        run.insert(0, etree.Element(f"{W}rPr"))
        etree.SubElement(run[0], f"{W}vanish", {} if value is None else {f"{W}val": value})
        paragraph(root, "The report").append(run)

    content, drafts = left
    edits = read(edited(content, hide), drafts).sections[0].edits
    assert [("Unseen" in edit.after) for edit in edits] == ([True] if shown else [])


def _styled(kind: str) -> Callable[[Root], None]:
    """A style that hides its text, for runs and for paragraphs; one above it says so."""

    def add(root: Root) -> None:
        for name, over in (("Base", ""), ("Unseen", "Base")):
            style = etree.SubElement(root, f"{W}style", {f"{W}type": kind, f"{W}styleId": name})
            if over:
                etree.SubElement(style, f"{W}basedOn", {f"{W}val": over})
            else:
                etree.SubElement(etree.SubElement(style, f"{W}rPr"), f"{W}vanish")

    return add


@pytest.mark.req("W2")
@pytest.mark.parametrize("kind", ["character", "paragraph"])
def test_text_that_a_style_hides_is_not_read_as_words(left: tuple[bytes, tuple[Draft, ...]], kind: str) -> None:
    def hide(root: Root) -> None:
        one, run = paragraph(root, "The report"), run_of("Unseen. ")
        if kind == "paragraph":
            one.addnext(one := etree.Element(f"{W}p"))
        one.append(run)
        letter = {"character": "r", "paragraph": "p"}[kind]
        properties = etree.Element(f"{W}{letter}Pr")
        etree.SubElement(properties, f"{W}{letter}Style", {f"{W}val": "Unseen"})
        (one if kind == "paragraph" else run).insert(0, properties)

    content, drafts = left
    changed = edited(edited(content, hide), _styled(kind), "word/styles.xml")
    assert [one.edits for one in read(changed, drafts).sections] == [()]


@pytest.mark.req("S6")
async def test_a_picture_whose_file_is_damaged_is_another_one(
    converter: Converter, make_picture: Callable[..., bytes]
) -> None:
    draft = "It is flat.\n\n![The site](plan.png)\n\nThe end.\n"
    content, drafts = await exported(converter, draft, assets={"plan.png": make_picture()})
    with ZipFile(BytesIO(content)) as package:
        entry = next(one for one in package.infolist() if one.filename.startswith("word/media/"))
    damaged = bytearray(content)
    damaged[content.index(entry.filename.encode(), entry.header_offset) + len(entry.filename) + 9] ^= 0xFF
    section = read(bytes(damaged), drafts).sections[0]
    assert (section.edits, [one.change for one in section.unsupported]) == ((), ["picture_replaced"])


@pytest.mark.req("S6")
def test_four_times_the_pictures_are_four_times_the_work() -> None:
    def work(size: int) -> int:
        left = Left("a", 1, "", frozenset(), tuple((n, n + 1) for n in range(size)), looks=("a",) * size)
        now = Objects([Placed(n, n + 1, "", f"{n}") for n in range(size, 2 * size)])
        return calls(lambda: list(changed_objects(left, now, [])))

    assert work(400) < 5.5 * work(100)


@pytest.mark.req("S6")
def test_four_times_the_references_to_a_footnote_of_four_times_the_paragraphs_are_four_times_the_work() -> None:
    def work(size: int) -> int:
        draft = "".join(f"Words {n}.[^a]\n\n" for n in range(size)) + "[^a]: Note.\n"
        draft += "".join(f"\n    Piece {n}.\n" for n in range(size))
        document = document_of(draft)
        words = [one.text for one in document.prose if not one.in_footnote]
        shown = [Paragraph(text, (marked(0, "a" * 64, n, text),), notes=("1",)) for n, text in enumerate(words)]
        return calls(lambda: PlacedParagraphs(shown, [Draft("a", 1, "a" * 64, draft)], [document]))

    assert work(200) < 5.5 * work(50)
