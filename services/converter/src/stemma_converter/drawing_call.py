"""The pages of one file drawn, called in a process of its own: what is drawn when its time is up is there.

It finds the file in a folder, and leaves there, page by page, a picture, its words, and last what the
page is called: that it is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field
from stemma_contracts.v1.inputs import PageWord, PageWords

if TYPE_CHECKING:
    from .reading.pdf_drawing import Drawing

FILE = "file"
EDGES = ("left", "top", "right", "bottom")
_LABEL = 300


class Page(BaseModel):
    label: str = Field(max_length=_LABEL)
    width: float = Field(gt=0)
    height: float = Field(gt=0)


def draw(folder: Path, pages: int, bytes_each: int) -> None:
    # Not before there is one: what draws stays out of the service.
    from .reading.pdf_drawing import drawn_pages

    number = 0
    for drawing in drawn_pages((folder / FILE).read_bytes(), pages):
        if len(drawing.png) <= bytes_each:
            _lay(folder, number, drawing)
            number += 1


def picture_of(number: int) -> str:
    return f"page-{number}.png"


def words_of(number: int) -> str:
    return f"words-{number}.json"


def told_of(number: int) -> str:
    return f"page-{number}.json"


def _lay(folder: Path, number: int, drawing: Drawing) -> None:
    words = (PageWord(text=text, **_rounded(box)) for text, *box in drawing.words)
    page = Page(label=drawing.label, width=drawing.width, height=drawing.height)
    (folder / picture_of(number)).write_bytes(drawing.png)
    written = PageWords(words=tuple(words)).model_dump_json()
    (folder / words_of(number)).write_text(written, encoding="utf-8", errors="replace")
    unfinished = folder / f"{told_of(number)}.part"
    unfinished.write_text(page.model_dump_json(), encoding="utf-8")
    unfinished.rename(folder / told_of(number))


def _rounded(box: Sequence[float]) -> dict[str, float]:
    return {edge: round(at, 1) for edge, at in zip(EDGES, box, strict=True)}
