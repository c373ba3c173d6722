"""The pages of a document: our PDF of it, and where in that each heading and each section stands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_confinement import Limits

from .errors import ConversionError
from .pandoc import run_confined

# Behind the text, so that a template of a house needs to know nothing of it; a mark takes no room on the page.
_LABEL = "<stemma-places>"
_PLACES = """
#context {
  let place(at) = {
    let here = at.position()
    (page: here.page, height: here.y.pt())
  }
  let headings = query(heading.where(outlined: true))
  [#metadata((
    headings: headings.map(it => (level: it.level, ..place(it.location()))),
    end: place(here()),
    page_height: page.height.pt(),
  )) LABEL]
}
""".replace("LABEL", _LABEL)


class Place(BaseModel):
    """A place in the PDF: its page, counted from 1, and how far down it is, in points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: int = Field(ge=1)
    height: float


class Heading(Place):
    level: int = Field(ge=1)


class Places(BaseModel):
    """Where the headings of a document stand, in their order, and where its text ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    headings: tuple[Heading, ...]
    end: Place
    page_height: float = Field(gt=0, description="points")


class _Told(BaseModel):
    places: Places
    missing: str


@dataclass(frozen=True)
class Pages:
    pdf: bytes
    places: Places
    missing: str = ""

    def of_headings(self) -> tuple[int, ...]:
        return tuple(heading.page for heading in self.places.headings)

    def of_sections(self) -> tuple[SectionPages, ...]:
        starts = [heading for heading in self.places.headings if heading.level == 1]
        return tuple(self._between(start, end) for start, end in pairwise([*starts, self.places.end]))

    def _between(self, start: Place, end: Place) -> SectionPages:
        lines = end.page - start.page + (end.height - start.height) / self.places.page_height
        # No heading stands above one that begins a page: what ends there ends on the page before.
        top = min(heading.height for heading in self.places.headings)
        last = end.page - 1 if end.height < top + 1 else end.page
        return SectionPages(start.page, max(start.page, last), round(max(0.0, lines), 2))


@dataclass(frozen=True)
class SectionPages:
    """The first and the last page that a section stands on, and how many pages long it is.

    ``length`` runs from the section's heading to the next one's: 1.5 is a page and a half, margins counted.
    """

    first: int
    last: int
    length: float


async def set_pages(folder: Path, limits: Limits, created: int, fonts: Sequence[Path] = ()) -> Pages:
    """Set ``main.typ`` in ``folder`` as PDF, dated ``created`` (Unix time); raises `ConversionError`.

    ``fonts`` are folders with fonts beside those that the typesetter has.
    """
    _refuse_symlinks(folder)
    source = folder / "main.typ"
    source.write_text(source.read_text(encoding="utf-8") + _PLACES, encoding="utf-8")
    command: tuple[str | Path, ...] = (
        sys.executable,
        "-I",
        "-m",
        "stemma_converter.typesetting",
        str(created),
        _LABEL,
        *fonts,
    )
    # Typst maps its fonts and a stack for each thread: address space is more than memory used.
    roomy = replace(limits, memory_mb=limits.memory_mb * 4)
    output = await run_confined("typesetting", command, b"", folder=folder, limits=roomy, address_space=True)
    try:
        told = _Told.model_validate_json(output)
    except ValidationError:
        raise ConversionError("typesetting_failed", "typesetting") from None
    return Pages((folder / "main.pdf").read_bytes(), told.places, told.missing)


def _refuse_symlinks(folder: Path) -> None:
    """Typst keeps to its folder, but follows links in it."""
    if any(path.is_symlink() for path in folder.rglob("*")):
        raise ConversionError("symlink")
