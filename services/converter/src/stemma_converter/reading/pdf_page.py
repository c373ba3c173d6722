"""What stands on a page of a PDF: runs of text with their boxes, and the lines that are drawn."""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pypdfium2 as pdfium
from pypdfium2 import raw

_GAP, _SPACE, _SAME_LINE, _LIGATURE = 1.0, 0.15, 0.35, 1.3
_THIN, _SHORTEST = 2.5, 8.0
_BOLD = 600
_QUARTER = 90
_HYPHENS = {"\x02": "-", "\ufffe": "-", "\xad": "-"}


@dataclass(frozen=True)
class Run:
    """Text on one line in one look. The box is in points from the top left; ``size`` is that of the font."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Rule:
    """A drawn line, across or down: where it lies, and from where to where it reaches."""

    at: float
    start: float
    end: float
    is_across: bool


@dataclass(frozen=True)
class Page:
    """A page as it is read: turned so that most of its text is upright."""

    width: float
    height: float
    runs: tuple[Run, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class _Letter:
    text: str
    box: tuple[float, float, float, float]
    bold: bool
    angle: int
    size: float


def page_of(page: pdfium.PdfPage) -> Page:
    """All text and lines of a page; text that is turned otherwise than most of it is left out."""
    letters = list(_letters(page))
    angle = Counter(letter.angle for letter in letters).most_common(1)[0][0] if letters else 0
    turn = Turn.of(page, angle)
    upright = (replace(letter, box=turn.box(letter.box)) for letter in letters if letter.angle == angle)
    rules = tuple(rule for start, end in _strokes(page) if (rule := turn.rule(start, end)) is not None)
    down = sorted((rule for rule in rules if not rule.is_across), key=lambda rule: rule.at)
    return Page(*turn.size, tuple(_runs(upright, down)), rules)


@dataclass(frozen=True)
class Turn:
    """From the page's own coordinates, upwards from its lower left corner, to ours."""

    angle: int
    x: float
    y: float
    width: float
    height: float

    @classmethod
    def of(cls, page: pdfium.PdfPage, angle: int) -> Turn:
        return cls(angle, *_origin(page), *_size(page))

    @property
    def size(self) -> tuple[float, float]:
        return (self.height, self.width) if self.angle % 180 else (self.width, self.height)

    def point(self, x: float, y: float) -> tuple[float, float]:
        x, y = x - self.x, y - self.y
        match self.angle:
            case 90:
                return y, x
            case 180:
                return self.width - x, y
            case 270:
                return self.height - y, self.width - x
            case _:
                return x, self.height - y

    def box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        (x0, y0), (x1, y1) = self.point(box[0], box[1]), self.point(box[2], box[3])
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def rule(self, start: tuple[float, float], end: tuple[float, float]) -> Rule | None:
        left, top, right, bottom = self.box((*start, *end))
        if bottom - top <= _THIN and right - left >= _SHORTEST:
            return Rule((top + bottom) / 2, left, right, True)
        if right - left <= _THIN and bottom - top >= _SHORTEST:
            return Rule((left + right) / 2, top, bottom, False)
        return None


def _size(page: pdfium.PdfPage) -> tuple[float, float]:
    left, bottom, right, top = page.get_cropbox()
    return right - left, top - bottom


def _origin(page: pdfium.PdfPage) -> tuple[float, float]:
    left, bottom, _, _ = page.get_cropbox()
    return left, bottom


def _letters(page: pdfium.PdfPage) -> Iterator[_Letter]:
    text = page.get_textpage()
    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        sign = _HYPHENS.get(sign, sign)
        if sign in "\r\n\0" or raw.FPDFText_IsGenerated(text, index):
            continue
        if not raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
            continue
        raw.FPDFText_GetFontInfo(text, index, name, 128, ctypes.byref(flags))
        bold = raw.FPDFText_GetFontWeight(text, index) >= _BOLD or b"bold" in name.value.lower()
        angle = nearest_quarter(raw.FPDFText_GetCharAngle(text, index))
        raw.FPDFText_GetMatrix(text, index, matrix)
        size = raw.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
        edges = (box.left, box.bottom, box.right, box.top)
        yield _Letter(sign, edges, bold, angle, round(size or box.top - box.bottom, 1))


def nearest_quarter(radians: float) -> int:
    """The quarter turn to the left, in degrees, of letters of which pdfium tells how far they turned to the right."""
    return round(-math.degrees(radians) / _QUARTER) * _QUARTER % 360


def _runs(letters: Iterable[_Letter], down: Sequence[Rule]) -> Iterator[Run]:
    run: Run | None = None
    for letter in letters:
        if run is not None and _follows(run, letter) and not _is_divided(run, letter, down):
            run = _longer(run, letter)
            continue
        if run is not None and run.text.strip():
            yield replace(run, text=run.text.strip())
        left, top, right, bottom = letter.box
        run = Run(letter.text, left, top, right, bottom, letter.size, letter.bold)
    if run is not None and run.text.strip():
        yield replace(run, text=run.text.strip())


def _follows(run: Run, letter: _Letter) -> bool:
    left, top, right, bottom = letter.box
    same_line = abs(run.bottom - bottom) <= _SAME_LINE * run.size and abs(run.top - top) <= _SAME_LINE * run.size
    if letter.text.isspace():
        return same_line
    same_look = letter.bold == run.bold and abs(letter.size - run.size) < 0.6
    # The letters of a ligature have one box.
    forward = right >= run.right - 0.1 and left - run.right >= -_LIGATURE * run.size
    return same_line and same_look and forward and left - run.right <= _GAP * run.size


def _is_divided(run: Run, letter: _Letter, down: Sequence[Rule]) -> bool:
    """Whether a line that goes down stands between a run and a letter, as between two cells."""
    first = bisect_left(down, run.right - 1, key=lambda rule: rule.at)
    middle = (run.top + run.bottom) / 2
    for rule in down[first:]:
        if rule.at > letter.box[0] + 1:
            return False
        if rule.start <= middle <= rule.end:
            return True
    return False


def _longer(run: Run, letter: _Letter) -> Run:
    left, top, right, bottom = letter.box
    if letter.text.isspace():
        return replace(run, text=run.text + " ")
    space = " " if left - run.right > _SPACE * run.size and not run.text.endswith(" ") else ""
    return replace(
        run,
        text=run.text + space + letter.text,
        right=max(right, run.right),
        top=min(top, run.top),
        bottom=max(bottom, run.bottom),
        left=min(left, run.left),
    )


def _strokes(page: pdfium.PdfPage) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight pieces of all paths, from and to; thin areas that are filled are lines, too."""
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=4):
        matrix = item.get_matrix()
        last: tuple[float, float] | None = None
        for number in range(raw.FPDFPath_CountSegments(item)):
            segment = raw.FPDFPath_GetPathSegment(item, number)
            x, y = ctypes.c_float(), ctypes.c_float()
            raw.FPDFPathSegment_GetPoint(segment, x, y)
            point = matrix.on_point(x.value, y.value)
            if last is not None and raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO:
                yield last, point
            last = point
