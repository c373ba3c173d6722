"""What stands on a page of a PDF: runs of text with their boxes, lines that are drawn, and what people put onto it."""

from __future__ import annotations

import ctypes
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw
from stemma_markdown import escaping
from stemma_markdown.escaping import STRUCK, WIDE

from .pdf_seen import Box, Letter, drawn, is_recognised, pictured, unseen

_WIDE_SPACE = 0.7
_GAP, _SPACE, _SAME_LINE, _LIGATURE = 1.0, 0.15, 0.35, 1.3
_THIN, _SHORTEST = 2.5, 8.0
_BOLD = 600
_STRUCK, _MOST_STRIKES = (0.36, 0.7), 50
_TYPED_SIZE = 10.0
_RAISED = (0.15, 0.5)
_MOST_LABELS = 5000
_WIDE = re.compile(WIDE)
_QUARTER = 90
_HYPHENS = {"\x02": "-", "\ufffe": "-", "\xad": "-"}
_MOST_ANNOTATIONS, _LONGEST = 5_000, 20_000
_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_NO_NOTES = (raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_FILEATTACHMENT)
_TICKED = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_TYPED = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)


class Run(NamedTuple):
    """Text on one line in one look. The box is in points from the top left; ``size`` is that of the font."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool
    struck: bool = False

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
    turned: tuple[Run, ...] = ()
    """Text that is turned otherwise than most of the page, as if each angle were a page of its own."""
    hidden: Mapping[str, int] = field(default_factory=dict)
    """How many words nobody sees, by why."""
    is_recognised: bool = False
    """Whether its text is what some program recognised in the picture below it."""
    notes: tuple[str, ...] = ()
    angle: int = 0
    pictured: float = 0.0
    """The share of it that pictures cover, and that drawings do."""
    drawn: float = 0.0


def is_wide(text: str) -> bool:
    """Whether a text begins in a script that is written without spaces between words."""
    return bool(_WIDE.match(text))


def page_labels(document: pdfium.PdfDocument) -> list[str]:
    """What pages are called in print, such as A-12, where no two are called alike; else their numbers."""
    numbers = [str(number) for number in range(1, len(document) + 1)]
    printed = [document.get_page_label(at) for at in range(len(numbers))] if len(numbers) <= _MOST_LABELS else []
    named = [name.strip() or number for name, number in zip(printed, numbers, strict=False)]
    return [f"p. {name}" for name in (named if len(set(named)) == len(numbers) else numbers)]


def page_of(page: pdfium.PdfPage) -> Page:
    text = page.get_textpage()
    found = list(_letters(text))
    recognised = is_recognised(page, text, found)
    hidden = {} if recognised else unseen(page, text, found)
    letters = [letter for letter in found if letter.number not in hidden]
    angles = [angle for angle, _ in Counter(letter.angle for letter in letters).most_common()]
    turn = Turn.of(page, angles[0] if angles else 0)
    paths = list(page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=4))
    rules = tuple(rule for start, end in _strokes(paths) if (rule := turn.rule(start, end)) is not None)
    down = sorted((rule for rule in rules if not rule.is_across), key=lambda rule: rule.at)
    added = annotations_of(page)
    usual = Counter(letter.size for letter in letters).most_common(1)[0][0] if letters else _TYPED_SIZE
    through = _Strikes(rules, [turn.box(box) for box in added.struck])
    upright = (through.strike(letter) for letter in _turned(letters, turn))
    runs = (*_runs(upright, down), *(run for text, box in added.typed for run in _typed(text, turn.box(box), usual)))
    others = (Turn.of(page, angle) for angle in angles[1:])
    turned = tuple(run for other in others for run in _runs(_turned(letters, other), ()))
    words = Counter(why for index, why in hidden.items() if index - 1 not in hidden)
    words["field"] += added.hidden
    return Page(
        *turn.size,
        runs,
        rules,
        turned,
        hidden=+words,
        is_recognised=recognised,
        notes=tuple(added.notes),
        angle=turn.angle,
        pictured=pictured(page),
        drawn=drawn(page, paths),
    )


def _turned(letters: Iterable[Letter], turn: Turn) -> Iterator[Letter]:
    return (letter._replace(box=turn.box(letter.box)) for letter in letters if letter.angle == turn.angle)


class _Strikes:
    """Lines through letters, drawn or noted: across, and near the middle of each."""

    def __init__(self, rules: Sequence[Rule], boxes: Sequence[Box]) -> None:
        noted = [Rule((top + bottom) / 2, left, right, True) for left, top, right, bottom in boxes]
        self._rules = sorted((rule for rule in (*rules, *noted) if rule.is_across), key=lambda rule: rule.at)

    def strike(self, letter: Letter) -> Letter:
        if not self._rules:
            return letter
        left, top, right, bottom = letter.box
        above, below, middle = top + _STRUCK[0] * (bottom - top), top + _STRUCK[1] * (bottom - top), (left + right) / 2
        first = bisect_left(self._rules, above, key=lambda rule: rule.at)
        for rule in self._rules[first : first + _MOST_STRIKES]:
            if rule.at > below:
                break
            if rule.start <= middle <= rule.end:
                return letter._replace(struck=True)
        return letter


def _typed(text: str, box: Box, usual: float) -> Iterator[Run]:
    """The lines of a value in the box of its field: the only one in its middle, several from its top."""
    left, top, right, bottom = box
    lines = [line.strip() for line in text.split("\n")]
    size = min(usual, max((bottom - top) / len(lines), 1))
    first = (top + bottom - size) / 2 if len(lines) == 1 else top
    for number, line in enumerate(lines):
        if line:
            at = first + number * size
            yield Run(line, left, at, min(right, left + len(line) * size / 2), at + size, size, bold=False)


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


def _letters(text: pdfium.PdfTextPage) -> Iterator[Letter]:
    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        sign = _HYPHENS.get(sign, sign)
        if sign in f"\r\n\0{STRUCK}" or raw.FPDFText_IsGenerated(text, index):
            continue
        if not raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
            continue
        raw.FPDFText_GetFontInfo(text, index, name, 128, ctypes.byref(flags))
        bold = raw.FPDFText_GetFontWeight(text, index) >= _BOLD or b"bold" in name.value.lower()
        if sign.isdecimal() and _is_raised(text, index, box):
            sign = escaping.raised(sign)
        angle = nearest_quarter(raw.FPDFText_GetCharAngle(text, index))
        raw.FPDFText_GetMatrix(text, index, matrix)
        size = raw.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
        edges = (box.left, box.bottom, box.right, box.top)
        yield Letter(index, sign, edges, bold, angle, round(size or box.top - box.bottom, 1))


def _is_raised(text: pdfium.PdfTextPage, index: int, loose: raw.FS_RECTF) -> bool:
    """Whether the font itself draws a figure small and high; of other figures, the size of the font tells it."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
    raw.FPDFText_GetCharOrigin(text, index, x, y)
    height = loose.top - loose.bottom
    return bool(bottom.value - y.value > _RAISED[0] * height) and top.value - bottom.value < _RAISED[1] * height


def nearest_quarter(radians: float) -> int:
    """The quarter turn to the left, in degrees, of letters of which pdfium tells how far they turned to the right."""
    return round(-math.degrees(radians) / _QUARTER) * _QUARTER % 360


def _runs(letters: Iterable[Letter], down: Sequence[Rule]) -> Iterator[Run]:
    run: Run | None = None
    for letter in letters:
        if run is not None and _follows(run, letter) and not _is_divided(run, letter, down):
            run = _longer(run, letter)
            continue
        if run is not None and run.text.strip():
            yield run._replace(text=run.text.strip())
        left, top, right, bottom = letter.box
        run = Run(letter.text, left, top, right, bottom, letter.size, letter.bold, letter.struck)
    if run is not None and run.text.strip():
        yield run._replace(text=run.text.strip())


def _follows(run: Run, letter: Letter) -> bool:
    left, top, right, bottom = letter.box
    same_line = abs(run.bottom - bottom) <= _SAME_LINE * run.size and abs(run.top - top) <= _SAME_LINE * run.size
    if letter.text.isspace():
        return same_line
    same_look = (letter.bold, letter.struck) == (run.bold, run.struck) and abs(letter.size - run.size) < 0.6
    # The letters of a ligature have one box.
    forward = right >= run.right - 0.1 and left - run.right >= -_LIGATURE * run.size
    return same_line and same_look and forward and left - run.right <= _GAP * run.size


def _is_divided(run: Run, letter: Letter, down: Sequence[Rule]) -> bool:
    """Whether a line that goes down stands between a run and a letter, as between two cells."""
    first = bisect_left(down, run.right - 1, key=lambda rule: rule.at)
    middle = (run.top + run.bottom) / 2
    for rule in down[first:]:
        if rule.at > letter.box[0] + 1:
            return False
        if rule.start <= middle <= rule.end:
            return True
    return False


def _longer(run: Run, letter: Letter) -> Run:
    left, top, right, bottom = letter.box
    if letter.text.isspace():
        return run._replace(text=run.text + " ")
    space = (
        " "
        if left - run.right > (_WIDE_SPACE if is_wide(letter.text) else _SPACE) * run.size
        and not run.text.endswith(" ")
        else ""
    )
    return run._replace(
        text=run.text + space + letter.text,
        right=max(right, run.right),
        top=min(top, run.top),
        bottom=max(bottom, run.bottom),
        left=min(left, run.left),
    )


def _strokes(paths: Iterable[pdfium.PdfObject]) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight pieces of all paths, from and to; thin areas that are filled are lines, too."""
    for item in paths:
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


@dataclass
class Annotations:
    """Values of a form, notes, and lines through the text; ``hidden`` counts words of fields that nobody sees.

    Boxes are in the page's own coordinates, upwards.
    """

    typed: list[tuple[str, Box]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    struck: list[Box] = field(default_factory=list)
    hidden: int = 0


def annotations_of(page: pdfium.PdfPage) -> Annotations:
    found = Annotations()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
        if annotation := raw.FPDFPage_GetAnnot(page, number):
            _add(page, annotation, found)
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _add(page: pdfium.PdfPage, annotation: raw.FPDF_ANNOTATION, found: Annotations) -> None:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    is_value = kind in (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
    text = _value(page, annotation) if kind == raw.FPDF_ANNOT_WIDGET else _string(annotation, b"Contents")
    if kind in _NO_NOTES:
        return
    if raw.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
        found.hidden += len(text.split())
        return
    if is_value and text:
        found.typed.append((text, _box(annotation)))
    elif text:
        author = escaping.one_line(_string(annotation, b"T")) or "somebody"
        found.notes.append(f"Comment of {author}: {text}")
    if kind == raw.FPDF_ANNOT_STRIKEOUT:
        found.struck += _quads(annotation)


def _value(page: pdfium.PdfPage, annotation: raw.FPDF_ANNOTATION) -> str:
    if page.formenv is None:
        return ""
    form = page.formenv.raw
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKED:
        return "☒" if raw.FPDFAnnot_IsChecked(form, annotation) else "☐"
    if kind not in _TYPED or raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return ""
    return _text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))


def _string(annotation: raw.FPDF_ANNOTATION, key: bytes) -> str:
    return _text(lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def _text(fill: Callable[[ctypes.Array[ctypes.c_ushort] | None, int], int]) -> str:
    """A text of pdfium, which says how many bytes of UTF-16 it has before it is asked for them."""
    size = min(fill(None, 0), 2 * _LONGEST)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    fill(buffer, size)
    return escaping.clean(bytes(buffer).decode("utf-16-le", "replace").split("\0")[0]).replace("\r", "\n").strip()


def _box(annotation: raw.FPDF_ANNOTATION) -> Box:
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, box)
    return box.left, box.bottom, box.right, box.top


def _quads(annotation: raw.FPDF_ANNOTATION) -> Iterator[Box]:
    quad = raw.FS_QUADPOINTSF()
    for number in range(min(raw.FPDFAnnot_CountAttachmentPoints(annotation), _MOST_ANNOTATIONS)):
        raw.FPDFAnnot_GetAttachmentPoints(annotation, number, quad)
        across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
        yield min(across), min(up), max(across), max(up)
