"""The document as DOCX: pandoc writes it with the house template, then contents, dates, names and fonts are set."""

import asyncio
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx.document import Document as DocumentType
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml.etree import _Element

from .assembly import Manuscript
from .contents import add_contents, further_pages, set_page_fields
from .house_frame import COVER, fill_running_parts, framed, unframed
from .layout import staged, with_cells, with_pages
from .origins import add_origin, marked_parts
from .pandoc import Pandoc
from .tracking import tracked_parts
from .tree import Node, attributes, meta, node, plain, rewrite, text

_EARLIEST, _LATEST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)
# Word finds no font for these scripts by itself; all of them come with Office on every system.
_FONTS = {"ja": "Yu Mincho", "zh": "SimSun", "ko": "Batang"}
_LOCALES = {"ja": "ja-JP", "zh": "zh-CN", "ko": "ko-KR"}
# Han alone is Chinese; kana and Hangul tell that Han is Japanese or Korean.
_TELLING = (("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CJK UNIFIED", "zh"))


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


# Which bookmark it is about, and its page, are set in the finished document, where pandoc has named the bookmarks.
_PAGE_FIELD = '<w:fldSimple w:instr=" PAGEREF "><w:r><w:t></w:t></w:r></w:fldSimple>'
_REFERENCE = "reference.docx"


async def to_package(manuscript: Manuscript, pandoc: Pandoc, config: Path, template: bytes) -> bytes:
    """What pandoc makes of a manuscript: a Word document with cover, numbered headings and captions."""
    async with staged(manuscript, attributes("", "notice", custom_style="Notice")) as (folder, blocks):
        (folder / _REFERENCE).write_bytes(template)
        options: list[str | Path] = [
            "--reference-doc", folder / _REFERENCE, "--lua-filter", config / "media.lua",
            "--syntax-highlighting=none",
        ]  # fmt: skip
        paged = with_pages([*blocks, *_end(manuscript)], "openxml", lambda _: _PAGE_FIELD)
        styled = rewrite(paged, _with_cell_style)
        return await pandoc.write("docx", styled, _cover(manuscript), folder=folder, options=options)


async def to_docx(
    package: bytes, manuscript: Manuscript, pages: Sequence[int] = (), house: bytes | None = None
) -> bytes:
    """The package with contents, dates and names; the same bytes for the same manuscript.

    ``pages`` are those that the headings stand on, ``house`` is the template of a house, which gives its own text. A
    comparison has tracked changes and no contents, which could not be those of both versions.
    """
    return await asyncio.to_thread(_finished, package, manuscript, pages, house)


def _end(manuscript: Manuscript) -> list[Node]:
    """The last paragraph of a comparison: Word can neither accept nor reject that a document's last one ends."""
    compared = manuscript.previous is not None
    return [node("Para", text(manuscript.language.words.end_of_comparison))] if compared else []


def _cover(manuscript: Manuscript) -> dict[str, Node]:
    house = manuscript.house
    return meta(title=manuscript.title, subtitle=house.company, author=house.author, date=manuscript.date)


def _with_cell_style(item: Node) -> list[Node]:
    """A style of its own for text in cells: not every reader takes sizes from the table's style."""
    return [with_cells(item, _cell_text)] if item["t"] == "Table" else [item]


def _cell_text(_: int, blocks: list[Node]) -> list[Node]:
    """Pandoc gives a style to paragraphs only."""
    style = attributes(custom_style="Table Text")
    return [node("Div", style, [node("Para", block["c"])]) if block["t"] == "Plain" else block for block in blocks]


def _finished(package: bytes, manuscript: Manuscript, pages: Sequence[int], house: bytes | None) -> bytes:
    values = {**manuscript.running(), "page_of": manuscript.language.words.page_of}
    made = framed(package, house, values) if house else unframed(package)
    document = made.document
    if manuscript.previous is None:
        first = next(iter(made.headings), None)
        further = further_pages(first, made.contents) if house and first is not None else 0
        known = made.pages([page + further for page in pages])
        set_page_fields(document, known)
        add_contents(document, manuscript.language.words.contents, known, first, made.contents)
    else:
        _end_cover(document)
    made.end()
    _set_properties(document, manuscript)
    set_language(document, manuscript)
    fill_running_parts(document, values)
    if manuscript.sources and manuscript.previous is None:
        add_origin(document)
    buffer = BytesIO()
    document.save(buffer)
    saved = buffer.getvalue()
    if manuscript.previous is None:
        return with_fixed_dates(saved, manuscript.created_at, marked_parts(saved, manuscript))
    tracked = tracked_parts(saved, manuscript.makers, _somebody(manuscript))
    return with_fixed_dates(saved, manuscript.created_at, tracked)


def _somebody(manuscript: Manuscript) -> str:
    return manuscript.house.author or manuscript.house.company or manuscript.language.words.author


def _end_cover(document: DocumentType) -> None:
    cover = [p for p in document.paragraphs if p.style is not None and p.style.name in COVER]
    after = document.paragraphs[len(cover) :]
    if cover and not (after and after[0].paragraph_format.page_break_before):
        cover[-1].add_run().add_break(WD_BREAK.PAGE)


def _set_properties(document: DocumentType, manuscript: Manuscript) -> None:
    properties = document.core_properties
    properties.title = manuscript.title[:255]
    properties.author = properties.last_modified_by = manuscript.house.author
    properties.comments = manuscript.origin[:255]
    properties.language = manuscript.tag
    properties.created = properties.modified = manuscript.created_at
    properties.revision = 1


def script_of(character: str) -> str:
    """The script of a character as Unicode names it, such as ``Thai``; characters outside of any are symbols."""
    words = unicodedata.name(character, "").split()
    if not words or not character.isalpha():
        return "symbols"
    return "Han" if words[0] == "CJK" else words[0].capitalize()


def by_script(characters: Iterable[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for character in sorted(set(characters)):
        found[script_of(character)] = found.get(script_of(character), "") + character
    return dict(sorted(found.items()))


def east_asian(manuscript: Manuscript) -> str | None:
    """The East Asian language of a document, or of what it quotes; none if it has no such characters."""
    primary = manuscript.tag.partition("-")[0]
    if primary in _FONTS:
        return primary
    names = {unicodedata.name(character, "") for character in set(manuscript.title + plain(manuscript.blocks))}
    return next((tag for start, tag in _TELLING if any(name.startswith(start) for name in names)), None)


def set_language(document: DocumentType, manuscript: Manuscript) -> None:
    """The language of the text, and the font of East Asian characters if the template has none for them."""
    properties = document.styles.element.find(f".//{qn('w:rPrDefault')}/{qn('w:rPr')}")
    if properties is None:
        return
    asian = east_asian(manuscript)
    latin = "en-US" if asian and manuscript.tag.startswith(asian) else _locale(manuscript)
    language = _child(properties, "w:lang")
    language.set(qn("w:val"), latin)
    if asian:
        language.set(qn("w:eastAsia"), _LOCALES[asian])
        fonts = _child(properties, "w:rFonts")
        if not {qn("w:eastAsia"), qn("w:eastAsiaTheme")} & set(fonts.keys()):
            fonts.set(qn("w:eastAsia"), _FONTS[asian])


def _locale(manuscript: Manuscript) -> str:
    spoken = manuscript.language
    return spoken.locale if spoken.tag == manuscript.tag else manuscript.tag


def _child(properties: _Element, tag: str) -> _Element:
    """The property of that name; where it must be made, fonts go first and the language last."""
    found = properties.find(qn(tag))
    if found is None:
        found = OxmlElement(tag)
        properties.insert(0 if tag == "w:rFonts" else len(properties), found)
    return found
