"""PDF: the text in the order in which people read it, headings by their look, tables, images, and pages to cite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

import pypdfium2 as pdfium
from PIL import Image
from pypdfium2 import raw

from . import escaping
from .composing import Composer
from .pdf_blocks import (
    ENDED,
    Block,
    Looks,
    all_words,
    appended,
    blocks_of,
    item_of,
    looks_of,
    text_of,
    without_running_lines,
)
from .pdf_lines import Line, lines_of
from .pdf_page import Page, page_of
from .pdf_tables import Table, ruled_tables, spaced_tables
from .recognition import Recogniser
from .result import Unreadable

_FEWEST_CHARACTERS = 20
_DPI, _POINTS = 200, 72
_SMALLEST, _ALL_OF_PAGE = 40.0, 0.85
_PASSWORD = "password"
_FILE_NAME = re.compile(r"^Microsoft \w+ - |\.\w{2,5}$")


@dataclass(frozen=True)
class _Picture:
    data: bytes
    top: float


@dataclass
class _Sheet:
    page: Page
    lines: list[Line]
    tables: list[Table]
    pictures: list[_Picture]
    items: list[Block | Table]

    @property
    def is_without_text(self) -> bool:
        """Whether it is there, and has next to no letters."""
        letters = sum(len(line.text) for line in self.lines)
        return self.page.height > 0 and letters < _FEWEST_CHARACTERS and not self.tables


def read_pdf(content: bytes, composer: Composer) -> None:
    """All pages; those without text are recognised, if tesseract is there. Raises `Unreadable`."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        locked = _PASSWORD in str(error).lower()
        raise (Unreadable("password") if locked else Unreadable("damaged", kind="PDF")) from None
    with document:
        count = min(len(document), composer.limits.pages)
        if count < len(document):
            words = f"Only the first {count} of {len(document)} pages were read."
            composer.warn("pages_left_out", "", words)
        composer.count(pages=count)
        composer.named = _named(document)
        _Pdf(document, composer).read(count)
        for number in range(document.count_attachments()):
            _attach(document.get_attachment(number), composer)


def _named(document: pdfium.PdfDocument) -> str:
    """The title among the properties, unless that is only the name of the file that it was made of."""
    title = escaping.one_line(document.get_metadata_value("Title"))
    return "" if _FILE_NAME.search(title) else title


def _attach(attachment: pdfium.PdfAttachment, composer: Composer) -> None:
    name = attachment.get_name()
    try:
        composer.child(name, "application/octet-stream", bytes(attachment.get_data()))
    except (pdfium.PdfiumError, ValueError, TypeError):
        composer.warn("attachment_unread", name, "An attachment is damaged.")


class _Pdf:
    def __init__(self, document: pdfium.PdfDocument, composer: Composer) -> None:
        self._document, self._composer = document, composer
        self._recogniser = Recogniser(composer.limits)

    def read(self, count: int) -> None:
        sheets = [self._sheet(number) for number in range(count)]
        kept = without_running_lines([sheet.lines for sheet in sheets], [sheet.page.height for sheet in sheets])
        words = all_words(kept)
        for sheet, lines in zip(sheets, kept, strict=True):
            sheet.items = list(_items(lines, sheet.tables))
        looks = looks_of([[item for item in sheet.items if isinstance(item, Block)] for sheet in sheets])
        writer = _Writer(self._composer, looks, words)
        for number, sheet in enumerate(sheets):
            writer.put(f"p. {number + 1}", sheet.items, sheet.pictures)
            if sheet.is_without_text:
                writer.end()
                self._recognise(number)
        writer.end()

    def _sheet(self, number: int) -> _Sheet:
        try:
            source = self._document[number]
            page = page_of(source)
            pictures = list(_pictures(source, page, self._composer.limits.image_pixels))
        except pdfium.PdfiumError:
            self._composer.warn("page_damaged", f"p. {number + 1}", "The page is damaged and was left out.")
            return _Sheet(Page(0, 0, (), ()), [], [], [], [])
        tables, runs = ruled_tables(page)
        return _Sheet(page, lines_of(replace(page, runs=runs)), tables, pictures, [])

    def _recognise(self, number: int) -> None:
        """Recognise a page that is a picture; an empty one is left alone."""
        place, composer = f"p. {number + 1}", self._composer
        page = self._document[number]
        if not any(True for _ in page.get_objects(max_depth=2)):
            return
        if not self._recogniser.may():
            composer.count(pages_without_text=1)
            words = "The page is a picture without text, and was not recognised: attach a PDF with text."
            composer.warn("page_not_recognised", place, words)
            return
        found = self._recogniser.paragraphs(_drawn(page, composer.limits.image_pixels), _DPI)
        for paragraph in found:
            composer.paragraph(escaping.inline(paragraph))
        composer.count(**({"pages_recognised": 1} if found else {"pages_without_text": 1}))
        if not found:
            composer.warn("page_without_text", place, "The page is a picture; no text was recognised on it.")


class _Writer:
    """Writes blocks; a paragraph that goes on behind the end of its page stays one."""

    def __init__(self, composer: Composer, looks: Looks, words: Counter[str]) -> None:
        self._composer, self._looks, self._words = composer, looks, words
        self._held = ""
        self._turns: list[tuple[int, str]] = []

    def put(self, label: str, items: Sequence[Block | Table], pictures: Sequence[_Picture]) -> None:
        waiting = sorted(pictures, key=lambda picture: picture.top)
        goes_on = bool(items) and isinstance(items[0], Block) and self._goes_on(items[0])
        if goes_on:
            self._turns.append((len(self._held) + (not self._held.endswith("-")), label))
        else:
            self.end()
            self._composer.anchor("page", label)
        for number, item in enumerate(items):
            while waiting and waiting[0].top < item.top and not (goes_on and number == 0):
                self._picture(waiting.pop(0))
            self._item(item, goes_on=goes_on and number == 0)
        for picture in waiting:
            self._picture(picture)

    def _goes_on(self, block: Block) -> bool:
        text = text_of(block, self._words)
        divided = self._held.endswith("-") and text[:1].isalpha()
        return divided or (
            bool(self._held) and text[:1].islower() and not item_of(text) and not ENDED.search(self._held)
        )

    def _picture(self, picture: _Picture) -> None:
        self.end()
        if shown := self._composer.image(picture.data):
            self._composer.paragraph(shown)

    def _item(self, item: Block | Table, *, goes_on: bool) -> None:
        text = "" if isinstance(item, Table) else text_of(item, self._words)
        if goes_on:
            self._held = appended(self._held, text, self._words)
            return
        self.end()
        if isinstance(item, Table):
            self._composer.table([[escaping.inline(cell) for cell in row] for row in item.rows])
        elif level := self._looks.level(item):
            self._composer.heading(level, escaping.inline(text))
        elif found := item_of(text):
            self._composer.item(escaping.inline(found[1]), marker=found[0])
        else:
            self._held = text

    def end(self) -> None:
        """Write the paragraph that might have gone on."""
        if self._held:
            start = self._composer.block(escaping.line(escaping.inline(self._held)))
            for place, label in self._turns:
                self._composer.anchor("page", label, at=start + len(escaping.inline(self._held[:place])))
        self._held, self._turns = "", []


def _items(lines: Sequence[Line], tables: Sequence[Table]) -> Iterator[Block | Table]:
    """Blocks and tables from the top down; a table stands before the first line of its columns that is below it."""
    waiting = sorted(tables, key=lambda table: table.top)
    pending: list[Line] = []
    for item in spaced_tables(list(lines)):
        above = [table for table in waiting if table.top < item.top and _is_over(table, item)]
        if above or isinstance(item, Table):
            yield from blocks_of(pending)
            pending = []
        yield from above
        waiting = [table for table in waiting if table not in above]
        if isinstance(item, Table):
            yield item
        else:
            pending.append(item)
    yield from blocks_of(pending)
    yield from waiting


def _is_over(table: Table, item: Line | Table) -> bool:
    return table.left < item.right and item.left < table.right


def _pictures(source: pdfium.PdfPage, page: Page, most_pixels: int) -> Iterator[_Picture]:
    """The images of a page but those that are small, and those that are all of it: that is a scan."""
    for item in source.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        try:
            left, bottom, right, top = item.get_bounds()
            wide, high = right - left, top - bottom
            whole = wide * high > page.width * page.height * _ALL_OF_PAGE
            across, down = item.get_px_size()
            if min(wide, high) < _SMALLEST or whole or across * down > most_pixels:
                continue
            buffer = BytesIO()
            item.get_bitmap(render=False).to_pil().convert("RGB").save(buffer, "PNG")
        except (pdfium.PdfiumError, ValueError, OSError, AttributeError):
            continue
        yield _Picture(buffer.getvalue(), page.height - top)


def _drawn(page: pdfium.PdfPage, most_pixels: int) -> Image.Image:
    width, height = page.get_size()
    scale = _DPI / _POINTS
    scale *= min(1.0, (most_pixels / max(width * height * scale * scale, 1)) ** 0.5)
    picture: Image.Image = page.render(scale=scale, grayscale=True).to_pil()
    return picture
