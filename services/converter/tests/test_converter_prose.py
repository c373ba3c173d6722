"""Prose stands aside while pandoc works, and comes out as if it had been there."""

from __future__ import annotations

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
from stemma_converter.tree import Phrase, node, text, with_phrases

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
TEXTS = [PLACES, *((TESTS / name).read_text("utf-8") for name in ("rich.md", "redline.md", "corpus/work.md"))]


@pytest.fixture
def pandoc(exporter: Any) -> Pandoc:
    made: Pandoc = exporter.converter.pandoc
    return made


@pytest.mark.req("G13")
@pytest.mark.parametrize("markdown", TEXTS)
async def test_a_text_is_read_as_if_its_prose_had_been_there(pandoc: Pandoc, markdown: str) -> None:
    assert await pandoc.read(markdown) == with_phrases(await pandoc.tree(markdown))


def test_pandoc_reads_a_word_in_place_of_a_line() -> None:
    aside = Aside()
    read = aside.from_markdown(f"{PROSE}\n\n- {PROSE} **so** {PROSE}\n\n# {PROSE}\n")
    assert PROSE not in read.replace(f"# {PROSE}", "")
    assert aside.into_text(read) == f"{PROSE}\n\n- {PROSE} **so** {PROSE}\n\n# {PROSE}\n"


def test_a_text_is_read_anew_if_prose_is_the_name_of_a_heading_or_a_part_of_a_word() -> None:
    aside = Aside()
    stand_in = aside.from_markdown(PROSE)
    assert not aside.into_tree([node("Header", 2, [stand_in, [], []], [node("Str", stand_in)])])
    assert not aside.into_tree([node("Para", [node("Str", f"{stand_in}.")])])
    blocks = [node("Para", [node("Str", stand_in)])]
    assert aside.into_tree(blocks)
    assert blocks == [node("Para", text(PROSE))]
    assert isinstance(blocks[0]["c"], Phrase)


@pytest.mark.req("G13")
@pytest.mark.parametrize("markdown", TEXTS)
async def test_a_text_is_written_as_if_its_prose_had_been_there(pandoc: Pandoc, tmp_path: Path, markdown: str) -> None:
    blocks = await pandoc.read(markdown)
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
