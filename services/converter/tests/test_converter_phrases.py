"""Words between which nothing stands are passed on as phrases, and come out as they would word by word."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from stemma_converter.pandoc import Pandoc
from stemma_converter.pdf import for_typst, halves, typst_of
from stemma_converter.tree import Phrase, condensed, node, plain, rewrite, text

PUNCTUATED = "\n\n".join(
    line
    for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    for line in (rf"a \{sign}b \{sign} c\{sign} \{sign}\{sign} d", rf"\{sign} b 1. x\{sign}y")
)
STRANGE = """1\\. no list

\\- no list

a&nbsp;b … — „c“ soft\u00adhyphen non\u2011breaking 漢字 עברית 🙂 https://example.org//x

| .x y | 1\\. z | \\- a b ; c |
|---|---|---|
| it's "so" | `code` between words | **all strong words** |

- one item of words
- 2\\. of another
"""
MIXED = PUNCTUATED.replace(" b", "\nb **d** e f").replace("a ", "**a** ") + "\n\n" + STRANGE.replace(" ", "\n")
ALL = "\n\n".join((PUNCTUATED, STRANGE, MIXED, (Path(__file__).parent / "corpus" / "work.md").read_text("utf-8")))


@pytest.fixture
def pandoc(exporter: Any) -> Pandoc:
    made: Pandoc = exporter.converter.pandoc
    return made


def word_by_word(value: Any) -> Any:
    if isinstance(value, dict):
        return {**value, "c": word_by_word(value["c"])} if "c" in value else value
    return [word_by_word(item) for item in value] if isinstance(value, list) else value


@pytest.mark.req("G13")
async def test_typst_is_the_same_from_phrases_as_word_by_word(pandoc: Pandoc, tmp_path: Path) -> None:
    blocks = await pandoc.read(ALL)
    options = ("--wrap=none",)
    by_word = await pandoc.write("typst", for_typst(word_by_word(blocks)), {}, folder=tmp_path, options=options)
    assert await pandoc.write("typst", condensed(for_typst(blocks)), {}, folder=tmp_path, options=options) == by_word


@pytest.mark.req("G13")
async def test_word_documents_are_the_same_from_phrases_as_word_by_word(pandoc: Pandoc, tmp_path: Path) -> None:
    blocks = await pandoc.read(ALL)
    by_word = await pandoc.write("docx", word_by_word(blocks), {}, folder=tmp_path)
    by_phrase = await pandoc.write("docx", condensed(blocks), {}, folder=tmp_path)
    assert _text(by_phrase) == _text(by_word)


def _text(package: bytes) -> bytes:
    return ZipFile(BytesIO(package)).read("word/document.xml")


@pytest.mark.req("G13")
async def test_a_long_document_is_the_same_from_two_writers_as_from_one(pandoc: Pandoc, tmp_path: Path) -> None:
    chapter = "# A chapter\n\nSome words.[^1]\n\n- an item\n\n| a |\n|---|\n| b |\n\n[^1]: A note.\n\n"
    blocks = await pandoc.read(chapter * 160)
    first, rest = halves(blocks)
    assert len(first) + len(rest) == len(blocks)
    assert rest[0]["t"] == "Header"
    template = tmp_path / "template.typ"
    template.write_text("Before.\n\n$body$\n", encoding="utf-8")
    options = ("--template", template, "--wrap=none", "--syntax-highlighting=idiomatic")
    by_one = await pandoc.write("typst", blocks, {}, folder=tmp_path, options=options)
    assert await typst_of(blocks, pandoc, template, tmp_path) == by_one.decode()


async def test_a_writer_reads_neither_long_words_nor_each_by_itself(pandoc: Pandoc) -> None:
    (wrapped,) = await pandoc.read("Some words of *one* line\nand of the next.\n" * 40)
    words = [item["c"] for item in condensed(for_typst(wrapped["c"])) if item["t"] == "Str"]
    assert max(map(len, words)) < 100
    assert len(words) < 40 * 5


def test_a_short_document_and_one_without_chapters_are_written_at_once() -> None:
    short = [node("Header", 1, ["", [], []], text("A title")), node("Para", text("Some words"))]
    assert halves(short * 3) == (short * 3, [])
    assert halves(short[1:] * 2000) == (short[1:] * 2000, [])
    assert halves([]) == ([], [])


async def test_phrases_stay_as_they_are_and_are_read_as_one_text(pandoc: Pandoc) -> None:
    (block,) = await pandoc.read("Some words of one *line*, and then others")
    assert not isinstance(block["c"], Phrase)
    (block,) = await pandoc.read("Some words of one line")
    assert isinstance(block["c"], Phrase)
    assert plain(block["c"]) == "Some words of one line"
    assert rewrite(block, lambda item: [item])["c"] is block["c"]
    assert condensed(block["c"]) == [node("Str", "Some"), node("Space"), node("Str", "words of one line")]
