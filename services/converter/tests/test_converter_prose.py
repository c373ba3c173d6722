"""Prose stands aside while pandoc works, and comes out as if it had been there."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from stemma_converter.inert import inert
from stemma_converter.markdown import WRITER
from stemma_converter.pandoc import Pandoc
from stemma_converter.pdf import for_typst
from stemma_converter.prose import Aside
from stemma_converter.tree import Node, Phrase, attributes, node, text, with_phrases

TESTS = Path(__file__).parent
PROSE = "words of a plain line, with five signs (and a half-open end): they mean no more! Do they?"
HYPHENS = "so--and why-?not or all--?there"
PLACES = f"""{PROSE}
words of a plain line {HYPHENS} with more of them
{PROSE} **{PROSE}** {PROSE} *x*

1. {PROSE}
   {PROSE}\x20\x20
   {PROSE}

   - [ ] {PROSE} `code {PROSE} x` $a {PROSE} b$

> {PROSE}[^1] {PROSE}
{PROSE}

[^1]: {PROSE}

    {PROSE}

    code {PROSE}

```text
{PROSE}

a {PROSE}\t{PROSE}
```

# {PROSE}

{PROSE}
---

> {PROSE}
> ===

| {PROSE} | b |
|---|---|
| {PROSE} | d |

[{PROSE}] and [x {PROSE}](u "a {PROSE} z")

[{PROSE.upper()}]: https://example.org "a {PROSE} z"

<div title="a {PROSE} z">

{PROSE}

</div>

<!-- {PROSE}

{PROSE} -->

See www.example.org and {PROSE} or www.example.org/a for more of all that is said here.
"""
W = "one two three four five six seven"
TITLE = f'"{W} eight"'
PLAIN = f"{W} and of more words.\n\n"
TELLING = {
    "words before a link with an exclamation mark": f"{W} foo\\![a](https://example.org/x.png)",
    "words behind a mark of a task that is none": f"[x]: {W}\n\n- [X]: {W}",
    "the title of a link": f"[x](https://example.org {TITLE}) [x {W}](u)",
    "the title of an image": f"![x](media/plan.png {TITLE})",
    "the title of a definition": f"See [x] and [y].\n\n[x]: /url {TITLE}\n\n[y]: /url ({W})",
    "the title of a link that looks like a note": f"[^1](/url {TITLE})",
    "what is said of code": f"``` python {W}\n{W}\n```\n\n~~~ {W}\n{W}\n~~~",
    "hyphens": f"{W}--eight and {W}---nine, why-?not {W}",
    "a figure whose caption is its text": f"![Figure 1: {W}](media/plan.png)",
    "spaces that are words": f"{W}&#32;&#32;{W} c &#32; e&#32;f {W}",
    "a note that is not there": f"{W}\n\n[^1]: {W} and others",
    "cells": f"| {W} | b |\n|---|---|\n| {W} {W} {W} {W} {W} {W} {W} {W} {W} {W} | {W} |",
    "the attribute of a tag": f"a <b title='{W}'>{W}</b>\n\n<div title='{W}'>\n\n{W}\n\n</div>",
    "columns of a tab": f"```text\n{W}\n\nb\n\na {W}\t{W}\n```\n\n- {W}\n\n\t{W}",
    "the name of a heading": f"{W}\n---\n\n> # {W}\n\n[{W}](#{W.replace(' ', '-')})",
    "an address": f"{W} www.example.org {W} (www.example.org/a) {W}",
}
TEXTS = [PLACES, (TESTS / "corpus/work.md").read_text("utf-8"), *(PLAIN + text for text in TELLING.values())]
IDS = ["places", "work", *TELLING]
SIGNS = [*",.;!?%()-", *"*_[]<>#/'`~$@&+=|\\{}^–“…:", "--", "...", '"']
PARTS = ["a", "foo", "b1", "2", "10", "é", "www", "漢", "א", "١", "²"]


def words_with_signs(draw: random.Random, most: int) -> list[Node]:
    """Inlines of words, each of some letters and signs."""
    parts = ([*PARTS, *draw.choices(SIGNS, k=6)] for _ in range(draw.randint(1, most)))
    return text(" ".join("".join(draw.choices(some, k=draw.randint(1, 4))) for some in parts))


def paragraph(draw: random.Random) -> Node:
    """A paragraph of such words with markup in between, with and without a space."""
    inlines = words_with_signs(draw, 12)
    for _ in range(draw.randint(0, 4)):
        inner, space = words_with_signs(draw, 9), [node("Space")] * draw.randint(0, 1)
        link = node("Link", attributes(), inner, ["https://example.org", ""])
        markup = draw.choice([node("Emph", inner), link, node("Note", [node("Para", inner)]), node("SoftBreak")])
        inlines = [*inlines, *space, markup, *space, *words_with_signs(draw, 12)]
    return node("Para", inlines)


@pytest.fixture
def pandoc(exporter: Any) -> Pandoc:
    made: Pandoc = exporter.converter.pandoc
    return made


@pytest.mark.req("G13")
@pytest.mark.parametrize("markdown", TEXTS, ids=IDS)
async def test_a_text_is_read_as_if_its_prose_had_been_there(pandoc: Pandoc, markdown: str) -> None:
    assert Aside().from_markdown(markdown) != markdown
    assert await pandoc.read(markdown) == with_phrases(await pandoc.tree(markdown))


def test_pandoc_reads_a_word_in_place_of_a_line() -> None:
    aside = Aside()
    read = aside.from_markdown(f"{PROSE}\n\n- {PROSE} **so** {PROSE}\n\n# {PROSE}\n")
    assert f"# {PROSE}" in read
    assert PROSE not in read.replace(f"# {PROSE}", "")
    assert aside.into_text(read) == f"{PROSE}\n\n- {PROSE} **so** {PROSE}\n\n# {PROSE}\n"


def test_a_text_is_read_anew_if_prose_is_a_name_or_a_part_of_a_word_or_does_not_come_back_or_too_often() -> None:
    aside = Aside()
    stand_in = aside.from_markdown(PROSE)
    assert not aside.into_tree([node("Header", 2, [stand_in, [], []], [node("Str", stand_in)])])
    assert not aside.into_tree([node("Para", [node("Str", f"{stand_in}.")])])
    assert not aside.into_tree([node("Para", text("It has not come back."))])
    assert not aside.into_tree([node("Para", [node("Str", stand_in)]) for _ in range(5)])
    blocks = [node("Para", [node("Str", stand_in)])]
    assert aside.into_tree(blocks)
    assert blocks == [node("Para", text(PROSE))]
    assert isinstance(blocks[0]["c"], Phrase)


@pytest.mark.req("G13")
@pytest.mark.parametrize("markdown", TEXTS, ids=IDS)
async def test_a_text_is_written_as_if_its_prose_had_been_there(pandoc: Pandoc, tmp_path: Path, markdown: str) -> None:
    await assert_written_as_whole(pandoc, tmp_path, await pandoc.read(markdown))


@pytest.mark.req("G13")
async def test_words_with_signs_are_written_as_if_none_had_stood_aside(pandoc: Pandoc, tmp_path: Path) -> None:
    draw = random.Random(1)
    await assert_written_as_whole(pandoc, tmp_path, with_phrases([paragraph(draw) for _ in range(200)]))


async def assert_written_as_whole(pandoc: Pandoc, tmp_path: Path, blocks: list[Node]) -> None:
    for to, written, without in (
        ("typst", for_typst(blocks), Aside.from_lines),
        (WRITER, inert(blocks), Aside.from_words),
        ("html5", blocks, Aside.from_words),
    ):
        options = ("--wrap=preserve",)
        whole = await pandoc.write(to, written, {}, folder=tmp_path, options=options)
        assert await pandoc.write_text(to, written, without, folder=tmp_path, options=options) == whole.decode()


@pytest.mark.req("G13")
async def test_hyphens_before_other_signs_are_in_a_pdf_as_they_were_written(exporter: Any) -> None:
    data, _ = await exporter.export("pdf", f"# A\n\nWords of a plain line {HYPHENS} with more of them.\n")
    assert any(HYPHENS in page.extract_text() for page in PdfReader(BytesIO(data)).pages)
