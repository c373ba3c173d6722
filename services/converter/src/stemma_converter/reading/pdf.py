"""PDF: the text in the order in which people read it, headings by their look, tables, images, and pages to cite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import groupby, islice, pairwise

import pypdfium2 as pdfium
from PIL import Image
from pypdfium2 import raw
from stemma_markdown import escaping

from .composing import Composer, put_edges
from .pdf_lines import Line, Table, between, joined, lines_of, rows_behind, rows_of, ruled_tables, spaced_tables
from .pdf_page import Page, Run, is_wide, page_labels, page_of
from .pdf_seen import HIDDEN, differs, is_garbled, not_read, xfa_of, xfa_texts
from .pictures import Recogniser
from .result import Unreadable

_BULLET = re.compile(r"[•▪■●○◦‣∙·–—*o◆◇✓✔](?=\s)\s*|[\uf021-\uf0ff・➢➤►▶❖]\s*|-(?:\s+|(?=[ぁ-んァ-ヶ一-龠]))")
_NUMBER = re.compile(r"(\d{1,3}[.)])\s+(?=\S)")
_OUTLINE = re.compile(
    r"(?:\(?[a-zA-Z]{1,4}[.)]|\(\d{1,3}\)|\d{1,3}(?:\.\d{1,3})+\.?|§+|[ア-ン])\s+\S|"
    r"[（(][\d一二三四五六七八九十ア-ン]{1,3}[)）]|[①-⑳]|第[\d一二三四五六七八九十百]{1,4}[条章節項編]|[０-９]{1,2}[．、]|・"
)
ENDED = re.compile(r"[.:;?!”\"’)\]。！？：；」』）]\W?$")
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,5}\.?\s+[^\W\d_a-z]")
_LONGEST_CLAUSE = 90
_HYPHENS = ("-", "‐")
_ADDRESS = re.compile(r"https?://\S*$")
_LAST_LINE = re.compile(r"\D{0,20}(\d{1,6})(?:\D{1,6}\d+)?\D{0,3}")
# What is left of the number of a page without its figures.
_PAGE_NUMBERS = frozenset({"", "page", "page of", "/", "- -", "|", "seite", "seite von", "p."})
_LARGER, _LONGEST_HEADING, _MOST_LINES = 1.08, 160, 4
_LOOSE, _INDENT, _SHORT = 1.45, 0.7, 0.8
_SAME_SIZE = 0.6
_LONGEST_TITLE, _MUCH_LARGER = 8, 1.3
# Headers and footers stand in the margins; those of several lines reach further, and are on most pages.
_MARGIN, _WIDE_MARGIN = 0.09, 0.15


@dataclass(frozen=True)
class Block:
    lines: tuple[Line, ...]

    @property
    def top(self) -> float:
        return self.first.top

    @property
    def first(self) -> Line:
        return self.lines[0]


@dataclass(frozen=True)
class Looks:
    """What the text of a file looks like: the size of its body, and the looks of its headings, the largest first.

    ``prose`` are looks that are larger than the body, as where an appendix is set in small print.
    """

    body: float
    prose: frozenset[tuple[float, bool]]
    headings: tuple[tuple[float, bool], ...]

    def level(self, block: Block) -> int:
        look = _look(block.first)
        is_heading = look in self.headings and _is_heading(block, self.body, self.prose)
        return self.headings.index(look) + 1 if is_heading else 0


def looks_of(pages: Iterable[Sequence[Block]]) -> Looks:
    blocks = [block for page in pages for block in page]
    letters: Counter[float] = Counter()
    for block in blocks:
        for line in block.lines:
            letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    prose = _prose(blocks, body)
    looks = {_look(block.first) for block in blocks if _is_heading(block, body, prose)}
    return Looks(body, prose, tuple(sorted(looks, reverse=True)[:6]))


def _prose(blocks: Iterable[Block], body: float) -> frozenset[tuple[float, bool]]:
    """The looks in which more is written in blocks that cannot be headings than in those that can."""
    balance: Counter[tuple[float, bool]] = Counter()
    for block in blocks:
        letters = sum(len(line.text) for line in block.lines)
        balance[_look(block.first)] += -letters if _is_heading(block, body, frozenset()) else letters
    return frozenset(look for look, letters in balance.items() if letters > 0 and not look[1])


def _look(line: Line) -> tuple[float, bool]:
    return round(line.size * 2) / 2, line.is_bold


def _is_heading(block: Block, body: float, prose: frozenset[tuple[float, bool]]) -> bool:
    text = " ".join(line.text for line in block.lines)
    if len(text) > _LONGEST_HEADING or len(block.lines) > _MOST_LINES or not any(map(str.isalpha, text)):
        return False
    if _BULLET.match(text):
        return False
    if _CLAUSE.match(text) and len(text) <= _LONGEST_CLAUSE and not ENDED.search(text):
        return True
    size, bold = _look(block.first)
    if (size, bold) in prose:
        return False
    alike = all(abs(_look(line)[0] - size) < _SAME_SIZE and line.is_bold == bold for line in block.lines)
    if not alike:
        return False
    is_sentence = text.endswith(".") and len(text.split()) > _LONGEST_TITLE
    if size >= body * _LARGER and not (is_sentence and size < body * _MUCH_LARGER):
        return bold or not text.endswith((",", ";"))
    return bold and size >= body * 0.9 and not text.endswith((",", ";", "."))


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    blocks: list[list[Line]] = []
    pitch = _pitch(lines)
    for line in lines:
        if blocks and _goes_on(blocks[-1], line, pitch):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [Block(tuple(block)) for block in blocks]


def _pitch(lines: Sequence[Line]) -> dict[float, float]:
    """How far lines of one size are apart, from top to top."""
    found: dict[float, Counter[float]] = {}
    for before, line in pairwise(lines):
        if before.column == line.column and abs(before.size - line.size) < _SAME_SIZE and line.top > before.top:
            found.setdefault(round(line.size), Counter())[round(line.bottom - before.bottom)] += 1
    usual = {}
    for size, distances in found.items():
        close = {distance: n for distance, n in distances.items() if distance <= size * 2.2}
        usual[size] = max(close, key=lambda distance: close[distance]) if close else size * 1.2
    return usual


def _goes_on(block: list[Line], line: Line, pitch: dict[float, float]) -> bool:
    before = block[-1]
    if abs(before.size - line.size) >= _SAME_SIZE or before.is_bold != line.is_bold or _begins(line):
        return False
    if before.column != line.column:
        return not ENDED.search(before.text) and line.text[:1].islower()
    distance = line.bottom - before.bottom
    if not 0 < distance <= _LOOSE * pitch.get(round(line.size), line.size * 1.2):
        return False
    return not _is_last(block, line)


def _begins(line: Line) -> bool:
    text = line.text
    return bool(_BULLET.match(text) or _NUMBER.match(text) or _OUTLINE.match(text))


def _is_last(block: list[Line], line: Line) -> bool:
    """Whether the last line of a block ends a paragraph: the next is indented, or its first word had found room."""
    before, indent = block[-1], _INDENT * line.size
    hanging = bool(_begins(block[0]))
    if not hanging and line.left > before.left + indent and line.left > line.column[0] + indent:
        return len(block) > 1 or line.left > before.left + 2 * indent
    if len(block) > 1 and not hanging and line.left > block[1].left + indent:
        return True
    first_word = line.size if is_wide(line.text) else len(line.text.split(" ", 1)[0]) * line.size * 0.5
    room = before.column[1] - before.right
    width = before.column[1] - before.column[0]
    return room > first_word + line.size and (bool(ENDED.search(before.text)) or room > width * (1 - _SHORT))


def text_of(block: Block, words: Counter[str]) -> str:
    """The words of a block; a word that was divided at the end of a line is one again if the file has it elsewhere."""
    text = ""
    for line in block.lines:
        text = appended(text, line.text, words)
    return text


def appended(text: str, line: str, words: Counter[str]) -> str:
    """A text with its next line; the mark of a divided word goes if the file has the word elsewhere, or if what stands
    behind the mark is no word that the file has by itself: but for an abbreviation, which is never divided."""
    if not text:
        return line
    head, tail = text.rpartition(" ")[2], line.partition(" ")[0]
    if text.endswith(_HYPHENS) and tail[:1].isalpha() and len(head) > 1 and head[-2].isalpha():
        whole = re.sub(r"\W+$", "", head[:-1] + tail).lower().lstrip("(“\"'")
        with_mark = re.sub(r"\W+$", "", head + tail).lower().lstrip("(“\"'")
        known = words[re.sub(r"\W+$", "", tail)] or words[with_mark] or head[-2].isupper()
        divided = tail[:1].islower() and (0 < words[whole] >= words[with_mark] or not known)
        return (text[:-1] if divided else text) + line
    in_address = _ADDRESS.search(text) is not None and "/" in tail
    return text + line if text.endswith("/") or in_address else f"{text}{between(text, line)}{line}"


def item_of(text: str) -> tuple[str, str] | None:
    if found := _BULLET.match(text):
        return "-", text[found.end() :]
    if found := _NUMBER.match(text):
        return found[1], text[found.end() :]
    return None


def without_running_lines(
    pages: Sequence[Sequence[Line]], heights: Sequence[float]
) -> tuple[list[list[Line]], list[str]]:
    """The lines of all pages but headers and footers, and each of those once.

    Headers and footers are what comes again at the edges of pages, numbers aside.
    """
    few, many = max(3, len(pages) // 4) if len(pages) > 3 else max(2, len(pages)), max(4, len(pages) // 2)
    near, far, last = Counter[str](), Counter[str](), Counter[tuple[str, int]]()
    for number, (lines, height) in enumerate(zip(pages, heights, strict=True)):
        near.update({_without_numbers(line) for line in _in_margins(lines, height, _MARGIN)})
        far.update({_without_numbers(line) for line in _in_margins(lines, height, _WIDE_MARGIN)})
        last.update(_counted(lines, number).keys())
    kept: list[list[Line]] = []
    running: dict[str, str] = {}
    for number, (lines, height) in enumerate(zip(pages, heights, strict=True)):
        edges = {
            line: None
            for line in _in_margins(lines, height, _MARGIN)
            if near[text := _without_numbers(line)] >= few or text in _PAGE_NUMBERS
        }
        edges |= {line: None for counted, line in _counted(lines, number).items() if last[counted] >= few}
        more = {line for line in _in_margins(lines, height, _WIDE_MARGIN) if far[_without_numbers(line)] >= many}
        _add_next(edges, more, lines)
        kept.append([line for line in lines if line not in edges])
        for line in edges:
            running.setdefault(_without_numbers(line), line.text)
    return kept, list(running.values())


def _in_margins(lines: Sequence[Line], height: float, band: float) -> list[Line]:
    return [line for line in lines if line.bottom < height * band or line.top > height * (1 - band)]


def _counted(lines: Sequence[Line], number: int) -> dict[tuple[str, int], Line]:
    """The lowest line if it may be the number of the page, which stands above a wide margin.

    Its words and its distance from the number of the page are the same on each page; those of a sum are not.
    """
    lowest = max(lines, key=lambda line: line.bottom, default=None)
    found = _LAST_LINE.fullmatch(lowest.text) if lowest else None
    return {(_without_numbers(lowest), int(found[1]) - number): lowest} if lowest and found else {}


def _add_next(edges: dict[Line, None], more: Collection[Line], lines: Sequence[Line]) -> None:
    """Add what goes on right below or above a line of a margin; the head of a table stands by itself."""
    ordered = sorted(lines, key=lambda line: line.top)
    for side in (ordered, ordered[::-1]):
        for before, line in pairwise(side):
            if before in edges and line in more and abs(line.top - before.top) < 2 * line.size:
                edges[line] = None


def _without_numbers(line: Line) -> str:
    return " ".join(re.sub(r"\d+", " ", line.text).lower().split())


def all_words(pages: Iterable[Sequence[Line]]) -> Counter[str]:
    return Counter(word for page in pages for word in _whole_words(page))


def _whole_words(lines: Iterable[Line]) -> Iterator[str]:
    """The words of lines, without what may only be the rest of a divided one."""
    divided = False
    for line in lines:
        yield from islice(_plain_words(line.text), 1 if divided else 0, None)
        divided = line.text.endswith(_HYPHENS)


def _plain_words(text: str) -> Iterator[str]:
    for word in text.split():
        yield word.strip(".,;:!?()[]“”\"'").lower()


_FEWEST_CHARACTERS, _MOST_OF_STAMP = 20, 200
_DPI, _POINTS = 200, 72
# Of a file, so many pages are held against what is recognised in a picture of them, more coarsely.
_SAMPLED, _COARSE, _FEWEST_UNREAD, _EXAMPLES = 3, 150, 3, 4
_LARGE_PICTURE, _LARGE_DRAWING = 0.25, 0.06
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
    is_garbled: bool = False

    @property
    def is_without_text(self) -> bool:
        """Whether it is there, and has next to no letters; a scan may have a stamp on it."""
        letters = sum(len(line.text) for line in self.lines)
        is_scan = self.page.pictured > _ALL_OF_PAGE and letters < _MOST_OF_STAMP and not self.page.is_recognised
        return self.page.height > 0 and (letters < _FEWEST_CHARACTERS or is_scan) and not self.tables


def read_pdf(content: bytes, composer: Composer) -> None:
    """All pages; those without text are recognised, if tesseract is there. Raises `Unreadable`."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        locked = _PASSWORD in str(error).lower()
        raise (Unreadable("password") if locked else Unreadable("damaged", kind="PDF")) from None
    with document:
        document.init_forms()
        count = min(len(document), composer.limits.pages)
        if count < len(document):
            words = f"Only the first {count} of {len(document)} pages were read."
            composer.warn("pages_left_out", "", words)
        composer.count(pages=count)
        composer.named = _named(document)
        if form := xfa_of(document):
            _put_xfa(form, composer)
        else:
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


def _put_xfa(form: bytes, composer: Composer) -> None:
    """The texts and values of a form whose pages only ask for another program."""
    words = "The form is made with XFA: only its texts and values were read. Print it to a PDF file and attach that."
    composer.warn("xfa", "", words)
    for text in xfa_texts(form):
        composer.paragraph(escaping.inline(text))


class _Pdf:
    def __init__(self, document: pdfium.PdfDocument, composer: Composer) -> None:
        self._document, self._composer = document, composer
        self._recogniser = Recogniser(composer.limits)
        self._labels = page_labels(document)
        self._turned: set[str] = set()
        self._hidden: dict[str, dict[int, int]] = {}
        self._guessed: list[int] = []

    def read(self, count: int) -> None:
        sheets = [self._sheet(number) for number in range(count)]
        kept, running = without_running_lines(
            [sheet.lines for sheet in sheets], [sheet.page.height for sheet in sheets]
        )
        words = all_words(kept)
        for sheet, lines in zip(sheets, kept, strict=True):
            sheet.items = list(_items(lines, sheet.tables))
        looks = looks_of([[item for item in sheet.items if isinstance(item, Block)] for sheet in sheets])
        writer = _Writer(self._composer, looks, words)
        for number, sheet in enumerate(sheets):
            writer.put(self._labels[number], sheet.items, sheet.pictures, () if number else running)
            if sheet.is_without_text:
                self._recognise(number, sheet, writer)
            self._put_turned(sheet.page.turned, writer)
            for note in sheet.page.notes:
                writer.paragraph(escaping.inline(note))
        writer.end()
        self._tell()
        self._account(sheets)

    def _account(self, sheets: Sequence[_Sheet]) -> None:
        """Tell what is seen and was not read, by the first pages with pictures or drawings and one of the others."""
        read = [number for number, sheet in enumerate(sheets) if sheet.page.runs and not sheet.is_without_text]
        suspects = [number for number in read if _has_more_than_text(sheets[number].page)]
        others = [number for number in read if number not in suspects]
        for number in [*suspects[: _SAMPLED - 1], *others[len(others) // 2 :][:1]]:
            if not self._recogniser.may():
                break
            self._compare(number, sheets[number].page)
            suspects = [one for one in suspects if one != number]
        if suspects := [number for number in suspects if not sheets[number].page.is_recognised]:
            told = "A large picture or drawing is on the page: words in it are not read. Attach its text or figures."
            self._composer.warn("picture_unread", self._places(suspects), told)

    def _compare(self, number: int, page: Page) -> None:
        source, place = self._document[number], self._labels[number]
        picture = _drawn(source, self._composer.limits.image_pixels, _COARSE, page.angle - source.get_rotation())
        words, scale = self._recogniser.words(picture, _COARSE), picture.width / page.width
        if differs(words, page.runs, scale):
            told = "Most words that are seen on the page are others than those that were read. Attach another PDF."
            self._composer.warn("page_garbled", place, told)
        elif len(unread := not_read(words, page.runs, scale)) >= _FEWEST_UNREAD:
            examples = ", ".join(f"“{word}”" for word in unread[:_EXAMPLES])
            told = f"Words are seen on the page, as in a picture, that were not read ({len(unread)}): {examples}."
            self._composer.warn("seen_not_read", place, told)

    def _put_turned(self, runs: Sequence[Run], writer: _Writer) -> None:
        """What stands on its side, once: it often does so on every page."""
        for text in (joined(row, row[0].size) for row in rows_of(runs)):
            key = re.sub(r"\d+", "", text)
            if len(text) > 1 and key not in self._turned:
                self._turned.add(key)
                writer.paragraph(escaping.inline(text))

    def _sheet(self, number: int) -> _Sheet:
        try:
            source = self._document[number]
            page = page_of(source)
            pictures = list(_pictures(source, page, self._composer.limits.image_pixels))
        except pdfium.PdfiumError:
            self._composer.warn("page_damaged", self._labels[number], "The page is damaged and was left out.")
            return _Sheet(Page(0, 0, (), ()), [], [], [], [])
        for why, words in page.hidden.items():
            self._hidden.setdefault(why, {})[number] = words
        if page.is_recognised:
            self._guessed.append(number)
        if is_garbled(" ".join(run.text for run in page.runs)):
            return _Sheet(replace(page, runs=(), turned=()), [], [], pictures, [], is_garbled=True)
        tables, runs = ruled_tables(page)
        return _Sheet(page, lines_of(replace(page, runs=runs)), tables, pictures, [])

    def _tell(self) -> None:
        for why, words in self._hidden.items():
            told = f"Text that nobody sees ({HIDDEN[why]}) was left out (words: {sum(words.values())})."
            self._composer.warn("hidden_text", self._places(list(words)), told)
        if self._guessed:
            told = "The text lies invisibly over a picture: some program recognised it there, and may be wrong."
            self._composer.warn("hidden_recognition", self._places(self._guessed), told)

    def _places(self, numbers: list[int]) -> str:
        """Pages as they are cited; those that follow each other by the first and last of them."""
        groups = groupby(enumerate(numbers), key=lambda item: item[1] - item[0])
        spans = [[self._labels[number] for _, number in group] for _, group in groups]
        return ", ".join(span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans)

    def _recognise(self, number: int, sheet: _Sheet, writer: _Writer) -> None:
        """Recognise a page that is a picture, or whose letters are garbled; an empty one is left alone."""
        place, composer = self._labels[number], self._composer
        page = self._document[number]
        if all(item.type == raw.FPDF_PAGEOBJ_TEXT for item in page.get_objects(max_depth=2)) and not sheet.is_garbled:
            return
        if sheet.is_garbled:
            words = "The fonts name other letters than they show; the garbled text was left out. Attach another PDF."
            composer.warn("page_garbled", place, words)
        if not self._recogniser.may():
            words = "The page is a picture without text, and was not recognised: attach a PDF with text."
            if sheet.lines:
                words = "The page is a picture with few words on it, and was not recognised: attach a PDF with text."
            composer.warn("page_not_recognised", place, words)
            return
        found = self._recogniser.paragraphs(_drawn(page, composer.limits.image_pixels), _DPI)
        for paragraph in found:
            writer.paragraph(escaping.inline(paragraph))
        composer.count(recognised=1 if found else 0)
        if not found:
            composer.warn("page_without_text", place, "The page is a picture; no text was recognised on it.")


class _Writer:
    """Writes blocks; a paragraph or a table that goes on behind the end of its page stays one."""

    def __init__(self, composer: Composer, looks: Looks, words: Counter[str]) -> None:
        self._composer, self._looks, self._words = composer, looks, words
        self._held = ""
        self._turns: list[tuple[int, str]] = []
        self._table: Table | None = None

    def put(
        self, label: str, items: Sequence[Block | Table], pictures: Sequence[_Picture], running: Iterable[str]
    ) -> None:
        waiting = sorted(pictures, key=lambda picture: picture.top)
        first = text_of(items[0], self._words) if items and isinstance(items[0], Block) else ""
        goes_on = bool(first) and self._goes_on(first)
        if goes_on:
            apart = 0 if self._held.endswith("-") else len(between(self._held, first))
            self._turns.append((len(self._held) + apart, label))
        else:
            self.end()
            self._composer.anchor("page", label)
            put_edges(map(escaping.inline, running), self._composer)
        for number, item in enumerate(items):
            while waiting and waiting[0].top < item.top and not (goes_on and number == 0):
                self._picture(waiting.pop(0))
            self._item(item, goes_on=goes_on and number == 0)
        for picture in waiting:
            self._picture(picture)

    def _goes_on(self, text: str) -> bool:
        divided = self._held.endswith("-") and text[:1].isalpha()
        inside = text[:1].islower() or (is_wide(text) and is_wide(self._held[-1:]) and not _OUTLINE.match(text))
        return divided or (bool(self._held) and inside and not item_of(text) and not ENDED.search(self._held))

    def _picture(self, picture: _Picture) -> None:
        if shown := self._composer.image(picture.data):
            self.paragraph(shown)

    def paragraph(self, markdown: str) -> None:
        """Write what is no text of the page: no paragraph and no table goes on behind it."""
        self.end()
        self._table = None
        self._composer.paragraph(markdown)

    def _item(self, item: Block | Table, *, goes_on: bool) -> None:
        text = "" if isinstance(item, Table) else text_of(item, self._words)
        if goes_on:
            self._held = appended(self._held, text, self._words)
            return
        self.end()
        before, self._table = self._table, item if isinstance(item, Table) else None
        if isinstance(item, Table):
            more = rows_behind(before, item) if before else None
            write = self._composer.table if more is None else self._composer.more_rows
            write([[escaping.inline(cell) for cell in row] for row in (item.rows if more is None else more)])
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


def _has_more_than_text(page: Page) -> bool:
    return page.pictured > _LARGE_PICTURE or page.drawn > _LARGE_DRAWING


def _drawn(page: pdfium.PdfPage, most_pixels: int, dpi: int = _DPI, turned: int = 0) -> Image.Image:
    width, height = page.get_size()
    scale = dpi / _POINTS
    scale *= min(1.0, (most_pixels / max(width * height * scale * scale, 1)) ** 0.5)
    picture: Image.Image = page.render(scale=scale, rotation=turned % 360, grayscale=True).to_pil()
    return picture
