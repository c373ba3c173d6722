"""The document as DOCX: pandoc writes it after the house template, then contents, dates and names are set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document
from docx.document import Document as DocumentType
from docx.enum.text import WD_BREAK

from .contents import add_contents, headings_of
from .manuscript import Manuscript
from .page_references import set_page_fields, with_word_fields
from .pandoc import Pandoc
from .running_parts import fill_running_parts
from .scripts import set_language
from .staging import staged
from .tables import with_cells
from .tracking import tracked_parts
from .tree import Node, attributes, meta, node, rewrite, text

_EARLIEST, _LATEST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)


def with_fixed_dates(package: bytes, moment: datetime, changed: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """The package with other content in some parts, and every entry dated ``moment`` as far as the format reaches."""
    stamp = min(max(moment.astimezone(UTC), _EARLIEST), _LATEST).timetuple()[:6]
    buffer = BytesIO()
    with ZipFile(BytesIO(package)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        for info in old.infolist():
            entry = ZipInfo(info.filename, stamp)
            entry.compress_type = ZIP_DEFLATED
            new.writestr(entry, changed.get(info.filename) or old.read(info))
    return buffer.getvalue()


_COVER_STYLES = ("Title", "Subtitle", "Author", "Date")


async def to_package(manuscript: Manuscript, pandoc: Pandoc, config: Path, template: Path) -> bytes:
    """What pandoc makes of a manuscript: a Word document with cover, numbered headings and captions."""
    async with staged(manuscript, attributes("", "notice", custom_style="Notice")) as (folder, blocks):
        options: list[str | Path] = [
            "--reference-doc", template, "--lua-filter", config / "media.lua",
            "--syntax-highlighting=none",
        ]  # fmt: skip
        styled = rewrite(with_word_fields([*blocks, *_end(manuscript)]), _with_cell_style)
        return await pandoc.write("docx", styled, _cover(manuscript), folder=folder, options=options)


async def to_docx(package: bytes, manuscript: Manuscript, pages: Sequence[int] = ()) -> bytes:
    """The package with contents, dates and names; the same bytes for the same manuscript.

    ``pages`` are those that the headings stand on. A comparison has tracked changes and no contents, which could not
    be those of both versions.
    """
    return await asyncio.to_thread(_finished, package, manuscript, pages)


def _end(manuscript: Manuscript) -> list[Node]:
    """The last paragraph of a comparison: Word can neither accept nor reject that a document's last one ends."""
    compared = manuscript.previous is not None
    return [node("Para", text(manuscript.language.words.end_of_comparison))] if compared else []


def _cover(manuscript: Manuscript) -> dict[str, Node]:
    """What pandoc sets in the styles Title, Subtitle, Author and Date of the template."""
    house = manuscript.house
    return meta(title=manuscript.title, subtitle=house.company, author=house.author, date=manuscript.date)


def _with_cell_style(item: Node) -> list[Node]:
    """A style of its own for text in cells: not every reader takes sizes from the table's style."""
    return [with_cells(item, _cell_text)] if item["t"] == "Table" else [item]


def _cell_text(_: int, blocks: list[Node]) -> list[Node]:
    """Pandoc gives a style to paragraphs only."""
    style = attributes(custom_style="Table Text")
    return [node("Div", style, [node("Para", block["c"])]) if block["t"] == "Plain" else block for block in blocks]


def _finished(package: bytes, manuscript: Manuscript, pages: Sequence[int]) -> bytes:
    document = Document(BytesIO(package))
    if manuscript.previous is None:
        set_page_fields(document, headings_of(document), pages)
        add_contents(document, manuscript.language.words.contents, pages)
    else:
        _end_cover(document)
    _set_properties(document, manuscript)
    set_language(document, manuscript)
    fill_running_parts(document, manuscript)
    buffer = BytesIO()
    document.save(buffer)
    saved = buffer.getvalue()
    if manuscript.previous is None:
        return with_fixed_dates(saved, manuscript.created_at)
    tracked = tracked_parts(saved, manuscript.makers, _somebody(manuscript))
    return with_fixed_dates(saved, manuscript.created_at, tracked)


def _somebody(manuscript: Manuscript) -> str:
    """The name for changes that nobody is known for."""
    return manuscript.house.author or manuscript.house.company or manuscript.language.words.author


def _end_cover(document: DocumentType) -> None:
    """A break behind the cover that no accepted or rejected change takes away."""
    cover = [p for p in document.paragraphs if p.style is not None and p.style.name in _COVER_STYLES]
    if cover:
        cover[-1].add_run().add_break(WD_BREAK.PAGE)


def _set_properties(document: DocumentType, manuscript: Manuscript) -> None:
    properties = document.core_properties
    properties.title = manuscript.title[:255]
    properties.author = properties.last_modified_by = manuscript.house.author
    properties.comments = manuscript.origin[:255]
    properties.language = manuscript.tag
    properties.created = properties.modified = manuscript.created_at
    properties.revision = 1
