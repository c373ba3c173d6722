"""The chapters of a DOCX file, as text that can be compared."""

from __future__ import annotations

import io
from collections.abc import Iterator

import docx
from docx.table import Table

CHAPTER_STYLE = "Heading 1"


def chapters(document: bytes) -> list[str]:
    """The text of each chapter in order: a line for its heading and for every paragraph and table row.

    What stands before the first chapter, such as the contents, is left out.
    """
    found: list[list[str]] = []
    for style, text in _lines(document):
        if style == CHAPTER_STYLE:
            found.append([])
        if found:
            found[-1].append(text)
    return ["".join(f"{line}\n" for line in lines) for lines in found]


def _lines(document: bytes) -> Iterator[tuple[str, str]]:
    for block in docx.Document(io.BytesIO(document)).iter_inner_content():
        if isinstance(block, Table):
            yield from (("", " | ".join(cell.text for cell in row.cells)) for row in block.rows)
        else:
            yield (block.style.name or "" if block.style else ""), block.text
