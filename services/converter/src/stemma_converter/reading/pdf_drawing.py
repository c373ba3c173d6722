"""Pages of a PDF drawn as small grey pictures, with the place of each word, so that a passage can be shown there."""

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from .pdf_page import Turn, nearest_quarter, page_labels

ACROSS = 900
"""Pixels of a page from left to right."""
LONGEST = 3
"""Times its width: a page that is longer, or so much wider than long, is no page that people look at."""
_GREYS = [value // 17 * 17 for value in range(256)]
"""Sixteen of them are enough for letters, and make half the file."""
_EVERY = 16
"""How a page is turned is told by one of so many letters."""
_APART = 0.3
"""Of the height of a letter: so far apart, or on another line, letters are those of two words."""


class Word(NamedTuple):
    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Drawing:
    """A page as a PNG; its size and the boxes of its words are in points from the upper left corner."""

    label: str
    width: float
    height: float
    png: bytes = field(repr=False)
    words: tuple[Word, ...] = field(repr=False)


def drawn_pages(content: bytes, most: int) -> Iterator[Drawing]:
    """The first pages of a file, as they come; those that are damaged or of no usable size are left out."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError:
        return
    with document:
        document.init_forms()
        for number, label in enumerate(page_labels(document)[:most]):
            try:
                drawing = _drawn(document[number], label)
            except (pdfium.PdfiumError, ValueError):
                continue
            if drawing:
                yield drawing


def _drawn(page: pdfium.PdfPage, label: str) -> Drawing | None:
    text = page.get_textpage()
    turn = Turn.of(page, _angle(text))
    width, height = turn.size
    if not 1 / LONGEST <= height / max(width, 1) <= LONGEST:
        return None
    rotation = (turn.angle - page.get_rotation()) % 360
    picture = page.render(scale=ACROSS / width, rotation=rotation, grayscale=True).to_pil().point(_GREYS)
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    return Drawing(label, width, height, buffer.getvalue(), tuple(_words(text, turn)))


def _angle(text: pdfium.PdfTextPage) -> int:
    letters = range(0, text.count_chars(), _EVERY)
    angles = Counter(nearest_quarter(raw.FPDFText_GetCharAngle(text, index)) for index in letters)
    return angles.most_common(1)[0][0] if angles else 0


def _words(text: pdfium.PdfTextPage, turn: Turn) -> Iterator[Word]:
    word: Word | None = None
    for letter in _letters(text, turn):
        if word and letter.text and _goes_on(word, letter):
            word = _longer(word, letter)
            continue
        if word:
            yield word
        word = letter if letter.text else None
    if word:
        yield word


def _letters(text: pdfium.PdfTextPage, turn: Turn) -> Iterator[Word]:
    """The letters of a page in the order of the file; what does not show has no text."""
    box = raw.FS_RECTF()
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box))
        shown = sign if sign.isprintable() and not sign.isspace() else ""
        yield Word(shown, *turn.box((box.left, box.bottom, box.right, box.top)))


def _goes_on(word: Word, letter: Word) -> bool:
    height, middle = word.bottom - word.top, (letter.top + letter.bottom) / 2
    is_beside = -height <= letter.left - word.right <= _APART * height
    return word.top <= middle <= word.bottom and is_beside


def _longer(word: Word, letter: Word) -> Word:
    return Word(
        word.text + letter.text,
        min(word.left, letter.left),
        min(word.top, letter.top),
        max(word.right, letter.right),
        max(word.bottom, letter.bottom),
    )
