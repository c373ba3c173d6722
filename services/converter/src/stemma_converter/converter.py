"""One manuscript, five formats; with the templates and fonts of the installation.

Fonts of the machine are not used, so that the same document has the same pages everywhere.
"""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC
from html import escape
from pathlib import Path
from typing import assert_never

import noto_cjk_sans_jp_bold  # type: ignore[import-untyped]
import noto_cjk_sans_jp_regular  # type: ignore[import-untyped]
from stemma_contracts.v1.exports import ExportFormat, ExportRemark
from stemma_ooxml import PackageError

from .assembly import House, Manuscript
from .house_styles import as_document, completed
from .images import ImageLimits
from .layout import MEDIA, staged, with_captions
from .markdown import section_tree, to_markdown, write_blocks
from .pandoc import ConversionError, Pandoc
from .pdf import Pages, to_pages
from .tree import Node, attributes, meta
from .word import by_script, to_docx, to_package

WORD_TEMPLATE = "template.docx"
_NEEDED = ("document.html", "document.typ", "media.lua", WORD_TEMPLATE)
# Chinese, Japanese and Korean, each with its own forms of the characters.
_PACKAGED = (noto_cjk_sans_jp_regular.FONT_PATH, noto_cjk_sans_jp_bold.FONT_PATH)


_MEDIA_TYPES = {
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ExportFormat.PDF: "application/pdf",
    ExportFormat.HTML: "text/html; charset=utf-8",
    ExportFormat.JSON: "application/json",
    ExportFormat.MD: "text/markdown; charset=utf-8",
}
_PROPERTIES = b'<meta name="properties">'
_CHECKBOX = b'<input type="checkbox"'
_SHOWN = 20
_SHARE_FOR_CONTENTS = 0.5
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Export:
    """A document in a format. ``pages`` is its PDF with the places in it, if one was made of it."""

    data: bytes
    pages: Pages | None = None
    remarks: tuple[ExportRemark, ...] = ()


@dataclass(frozen=True)
class Converter:
    """The programs, templates and bounds of conversions; ``house`` names who sends the documents.

    ``template`` is the Word template of a house; without it that of ``config`` is taken. ``fonts`` are folders with
    fonts for the PDF.
    """

    pandoc: Pandoc
    config: Path
    house: House = field(default_factory=House)
    images: ImageLimits = field(default_factory=ImageLimits)
    template: Path | None = None
    fonts: tuple[Path, ...] = field(default_factory=lambda: font_folders(None))

    async def write(self, to: ExportFormat, manuscript: Manuscript) -> Export:
        """The manuscript in a format, with all remarks; raises `ConversionError`."""
        export = await self._write(to, manuscript)
        return replace(export, remarks=(*manuscript.remarks, *export.remarks))

    async def _write(self, to: ExportFormat, manuscript: Manuscript) -> Export:
        match to:
            case ExportFormat.DOCX:
                return await self._word(await asyncio.to_thread(with_captions, manuscript))
            case ExportFormat.PDF:
                pages = await self._pages(await asyncio.to_thread(with_captions, manuscript), self.pandoc)
                return Export(pages.pdf, pages, tuple(missing_fonts(pages)))
            case ExportFormat.HTML:
                captioned = await asyncio.to_thread(with_captions, manuscript)
                return Export(await _to_html(captioned, self.pandoc, self.config))
            case ExportFormat.JSON:
                return Export(await _to_json(manuscript, self.pandoc))
            case ExportFormat.MD:
                return Export(await to_markdown(manuscript, self.pandoc))
            case _:
                assert_never(to)

    async def _pages(self, manuscript: Manuscript, pandoc: Pandoc) -> Pages:
        return await to_pages(manuscript, pandoc, self.config, self.fonts)

    async def _word(self, manuscript: Manuscript) -> Export:
        default = (self.config / WORD_TEMPLATE).read_bytes()
        house = await asyncio.to_thread(completed, self.template.read_bytes(), default) if self.template else None
        wanted = manuscript.headings > 0 and manuscript.previous is None
        setting = asyncio.create_task(self._pages_in_time(manuscript)) if wanted else None
        package = await to_package(manuscript, self.pandoc, self.config, house or default)
        pages = await setting if setting else None
        numbers = pages.of_headings() if pages else ()
        data = await to_docx(package, manuscript, numbers, house)
        complete = not wanted or len(numbers) == manuscript.headings
        return Export(data, pages, () if complete else (ExportRemark(code="no_page_numbers"),))

    async def _pages_in_time(self, manuscript: Manuscript) -> Pages | None:
        """The pages for a table of contents: a document leaves without them rather than late or not at all."""
        limits = replace(self.pandoc.limits, seconds=self.pandoc.limits.seconds * _SHARE_FOR_CONTENTS)
        try:
            return await self._pages(manuscript, replace(self.pandoc, limits=limits))
        except ConversionError:
            return None


def missing_fonts(pages: Pages) -> Iterator[ExportRemark]:
    for script, characters in by_script(pages.missing).items():
        shown = characters[:_SHOWN] + ("…" if len(characters) > _SHOWN else "")
        yield ExportRemark(code="missing_font", detail=f"{script}: {shown}", count=len(characters))


def media_type(to: ExportFormat) -> str:
    return _MEDIA_TYPES[to]


def file_name(manuscript: Manuscript, to: ExportFormat) -> str:
    words = _NOT_IN_NAME.sub("-", manuscript.title).strip("-")[:80].rstrip("-") or "document"
    name = "structure" if to is ExportFormat.JSON else words if manuscript.previous is None else f"{words}-changes"
    return f"{name}.{to}"


async def _to_json(manuscript: Manuscript, pandoc: Pandoc) -> bytes:
    source = await write_blocks(manuscript.blocks, pandoc)
    _, sections = await asyncio.to_thread(section_tree, source)
    created = manuscript.created_at.astimezone(UTC).isoformat()
    house = {"company": manuscript.house.company} if manuscript.house.company else {}
    about = {"title": manuscript.title, "author": manuscript.house.author, "language": manuscript.tag}
    metadata = {**about, **house, "created": created}
    return json.dumps({"metadata": metadata, "sections": sections}, ensure_ascii=False, indent=1).encode()


async def _to_html(manuscript: Manuscript, pandoc: Pandoc, config: Path) -> bytes:
    async with staged(manuscript, attributes("", "notice")) as (folder, blocks):
        options: list[str | Path] = [
            "--template", config / "document.html", "--toc", "--toc-depth=2", "--number-sections",
            "--mathml", "--syntax-highlighting=none", "--section-divs", "--wrap=preserve",
        ]  # fmt: skip
        page = await pandoc.write("html5", blocks, _page_meta(manuscript), folder=folder, options=options)
        return await asyncio.to_thread(_finished_page, page, manuscript, folder)


def _page_meta(manuscript: Manuscript) -> dict[str, Node]:
    shown = {key: value for key, value in manuscript.running().items() if key != "origin"}
    names = {"pagetitle": manuscript.title, "lang": manuscript.tag, "contents": manuscript.language.words.contents}
    return meta(**shown, **names)


def _finished_page(page: bytes, manuscript: Manuscript, folder: Path) -> bytes:
    # The first of these marks is the template's: what a title says comes later.
    page = page.replace(_PROPERTIES, _properties(manuscript).encode(), 1)
    return _with_images(page.replace(_CHECKBOX, _CHECKBOX + b" disabled"), folder)


def _properties(manuscript: Manuscript) -> str:
    """Elements with values in attributes, where pandoc does not escape quotation marks."""
    created = manuscript.created_at.astimezone(UTC).isoformat()
    values = {"author": manuscript.house.author, "generator": manuscript.origin, "dcterms.created": created}
    return "\n".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in values.items() if value)


def _with_images(page: bytes, folder: Path) -> bytes:
    for file in sorted((folder / MEDIA).iterdir()):
        kind = "jpeg" if file.suffix == ".jpg" else "png"
        data = b"data:image/" + kind.encode() + b";base64," + b64encode(file.read_bytes())
        page = page.replace(f'src="{MEDIA}/{file.name}"'.encode(), b'src="' + data + b'"')
    return page


def problems(config: Path, house_template: Path | None, fonts: Path | None = None) -> Iterator[str]:
    """What is wrong with the files of a config folder, and with the Word template and the fonts of a house, by line."""
    for name in _NEEDED:
        if not (config / name).is_file():
            yield f"{name}: file is missing"
    if house_template is not None and not house_template.is_file():
        yield f"template: there is no file {house_template.name}"
    if fonts is not None and not fonts.is_dir():
        yield f"fonts: there is no folder {fonts.name}"
    for file in filter(None, (config / WORD_TEMPLATE, house_template)):
        if file.is_file() and not _is_word_document(file):
            yield f"{file.name}: not a Word document"


def _is_word_document(file: Path) -> bool:
    try:
        as_document(file.read_bytes())
    except (PackageError, OSError):
        return False
    return True


def font_folders(house: Path | None) -> tuple[Path, ...]:
    return (*(Path(str(file)).parent for file in _PACKAGED), *([house] if house else ()))
