"""What a person sees of a page: its letters are held against a picture of it, and against each other."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_ubyte, c_uint, c_ulong, c_ushort
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2 as pdfium
from lxml import etree
from PIL import Image
from pypdfium2 import raw
from stemma_ooxml import ENTITY

from .result import Unreadable

if TYPE_CHECKING:
    from .pdf_page import Run
    from .pictures import SeenWord

Box = tuple[float, float, float, float]
_MOST_PIXELS = 4_000_000
# Of 255: where a word is shown, its place is at least so far from being of one grey.
_CONTRAST = 12
_TRIMMED = 0.15
# What shows nothing in grey is looked at again in color, and so many times larger.
_CLOSER = 2.0
_NEAR = 1.0
_EVERY = 16
_WHITE = 0xF0
_ALL_OF_PAGE = 0.5
_LEAST_SCALE = 0.5
_LAST_LATIN = "\u024f"
_STROKES, _DRAWING = 20, 300
_LETTERS, _ENOUGH = 3, 15
HIDDEN = {
    "layer": "on a layer that is switched off",
    "white": "white on white",
    "invisible": "drawn invisibly",
    "outside": "outside of the page",
    "covered": "covered by something else",
    "field": "in hidden fields or notes",
}


class Letter(NamedTuple):
    """A letter by its number on the page; the box is in the page's own coordinates, upwards."""

    number: int
    text: str
    box: Box
    bold: bool
    angle: int
    size: float
    struck: bool = False


def unseen(page: pdfium.PdfPage, text: pdfium.PdfTextPage, letters: Sequence[Letter]) -> dict[int, str]:
    """The numbers of letters that nobody sees on a page, each with one of the reasons of ``HIDDEN``.

    A page whose text lies invisibly over a picture of the same text shows all of it.
    """
    words = [word for word in _words(letters) if any(letter.text.isalnum() for letter in word)]
    found: dict[int, str] = {}
    try:
        doubted = _not_shown(page, words, 1.0, grayscale=True)
        for word, is_outside in _not_shown(page, [word for word, _ in doubted], _CLOSER, grayscale=False):
            why = "outside" if is_outside else _why(text, word[0].number)
            if why != "covered" or not _is_without_font(text, word):
                found |= {letter.number: why for letter in word}
    except (pdfium.PdfiumError, ValueError):
        return {}
    return found


def _not_shown(
    page: pdfium.PdfPage, words: Sequence[list[Letter]], scale: float, *, grayscale: bool
) -> list[tuple[list[Letter], bool]]:
    """The words at whose place a picture of the page shows nothing, and whether that is outside of it."""
    if not words:
        return []
    left, bottom, right, top = page.get_cropbox()
    scale *= min(1.0, (_MOST_PIXELS / max((right - left) * (top - bottom) * scale * scale, 1)) ** 0.5)
    if scale < _LEAST_SCALE:
        # Of a page as large as a wall, small letters leave nothing in a picture.
        return []
    picture = page.render(scale=scale, grayscale=grayscale, rotation=-page.get_rotation() % 360).to_pil()
    found = []
    for word in words:
        box = _around(letter.box for letter in word)
        pixels = _pixels((box[0] - left, top - box[3], box[2] - left, top - box[1]), scale)
        if not _shows(picture, pixels):
            found.append((word, _is_outside(pixels, picture.size)))
    return found


def _words(letters: Iterable[Letter]) -> Iterator[list[Letter]]:
    word: list[Letter] = []
    for letter in letters:
        if letter.text.isspace():
            continue
        if word and not _is_next(word[-1], letter):
            yield word
            word = []
        word.append(letter)
    if word:
        yield word


def _is_next(before: Letter, letter: Letter) -> bool:
    """Whether two letters follow each other in the file and touch."""
    reach = _NEAR + 0.1 * letter.size
    apart = max(letter.box[0] - before.box[2], before.box[0] - letter.box[2])
    over = max(letter.box[1] - before.box[3], before.box[1] - letter.box[3])
    return letter.number == before.number + 1 and max(apart, over) < reach


def _around(boxes: Iterable[Box]) -> Box:
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _pixels(box: Box, scale: float) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    across, down = (right - left) * _TRIMMED / 2, (bottom - top) * _TRIMMED
    x, y = int((left + across) * scale), int((top + down) * scale)
    return x, y, max(int((right - across) * scale), x) + 1, max(int((bottom - down) * scale), y) + 1


def _shows(picture: Image.Image, pixels: tuple[int, int, int, int]) -> bool:
    left, top, right, bottom = pixels
    inside = max(left, 0), max(top, 0), min(right, picture.width), min(bottom, picture.height)
    if inside[0] >= inside[2] or inside[1] >= inside[3]:
        return False
    shades = (band.tobytes() for band in picture.crop(inside).split())
    return any(max(shade) - min(shade) >= _CONTRAST for shade in shades)


def _is_outside(pixels: tuple[int, int, int, int], size: tuple[int, int]) -> bool:
    left, top, right, bottom = pixels
    return left >= size[0] or top >= size[1] or right <= 0 or bottom <= 0


def _why(text: pdfium.PdfTextPage, index: int) -> str:
    drawn = raw.FPDFText_GetTextObject(text, index)
    if _is_on_layer(drawn):
        return "layer"
    if raw.FPDFTextObj_GetTextRenderMode(drawn) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
        return "invisible"
    red, green, blue, alpha = c_uint(), c_uint(), c_uint(), c_uint()
    raw.FPDFText_GetFillColor(text, index, byref(red), byref(green), byref(blue), byref(alpha))
    return "white" if min(red.value, green.value, blue.value) >= _WHITE else "covered"


def _is_without_font(text: pdfium.PdfTextPage, word: Sequence[Letter]) -> bool:
    """Whether others may draw a word: the file lacks its font, and PDFium has its own for Latin letters only."""
    font = raw.FPDFTextObj_GetFont(raw.FPDFText_GetTextObject(text, word[0].number))
    return not raw.FPDFFont_GetIsEmbedded(font) and any(letter.text > _LAST_LATIN for letter in word)


def _is_on_layer(drawn: raw.FPDF_PAGEOBJECT) -> bool:
    name, length = (c_ushort * 32)(), c_ulong()
    for number in range(raw.FPDFPageObj_CountMarks(drawn)):
        raw.FPDFPageObjMark_GetName(raw.FPDFPageObj_GetMark(drawn, number), name, 64, byref(length))
        if bytes(name)[: length.value].decode("utf-16-le", "replace").rstrip("\0") == "OC":
            return True
    return False


def is_recognised(page: pdfium.PdfPage, text: pdfium.PdfTextPage, letters: Sequence[Letter]) -> bool:
    """Whether the text of a page is what some program once recognised in a picture of it, laid over it invisibly."""
    sample = [raw.FPDFText_GetTextObject(text, letter.number) for letter in letters[::_EVERY]]
    invisible = sum(raw.FPDFTextObj_GetTextRenderMode(drawn) == raw.FPDF_TEXTRENDERMODE_INVISIBLE for drawn in sample)
    return bool(sample) and invisible > len(sample) / 2 and pictured(page) > _ALL_OF_PAGE


def pictured(page: pdfium.PdfPage) -> float:
    """The share of a page that pictures cover."""
    images = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
    return min(1.0, sum(_share(page, item.get_bounds()) for item in images))


def drawn(page: pdfium.PdfPage, paths: Sequence[pdfium.PdfObject]) -> float:
    """The share of a page that drawings of many strokes cover, such as diagrams and letters that are only shapes."""
    counts = [(raw.FPDFPath_CountSegments(item), item) for item in paths]
    fine = [(count, item) for count, item in counts if count > _STROKES]
    if sum(count for count, _ in fine) < _DRAWING:
        return 0.0
    return _share(page, _around(item.get_bounds() for _, item in fine))


def _share(page: pdfium.PdfPage, box: Box) -> float:
    left, bottom, right, top = page.get_cropbox()
    across = max(min(box[2], right) - max(box[0], left), 0)
    up = max(min(box[3], top) - max(box[1], bottom), 0)
    return float(across * up / max((right - left) * (top - bottom), 1))


def not_read(words: Sequence[SeenWord], runs: Sequence[Run], scale: float) -> list[str]:
    """Words that were recognised in a picture of a page, where nothing was read; ``scale`` is pixels to a point."""
    return [word.text for word in words if len(_plain(word.text)) >= _LETTERS and not _is_read(word, runs, scale)]


def differs(words: Sequence[SeenWord], runs: Sequence[Run], scale: float) -> bool:
    """Whether most words that were recognised where something was read are not among what was read."""
    read = _plain("".join(run.text for run in runs))
    seen = [_plain(word.text) for word in words if _is_read(word, runs, scale)]
    long = [word for word in seen if len(word) > _LETTERS]
    return len(long) >= _ENOUGH and sum(word not in read for word in long) > len(long) / 2


def _is_read(word: SeenWord, runs: Sequence[Run], scale: float) -> bool:
    x, y = (word.left + word.width / 2) / scale, (word.top + word.height / 2) / scale
    return any(run.left <= x <= run.right and run.top - _NEAR <= y <= run.bottom + _NEAR for run in runs)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœąęėęěıőűůāēīōū")
_FEWEST, _LEAST, _MOST, _BROKEN = 120, 0.22, 0.66, 0.25
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]{3,}")
# What letters of a shifted code turn into, inside words; names in programs have other signs, and humps of two letters.
_MIXED = re.compile(r"[^\W\d_][\\^`~]|[\\^`~][^\W\d_]|^[^\[({]*[^\W\d_][\]}]|[a-z][A-Z](?![a-z])")
_NO_LETTER = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]")


def is_garbled(text: str) -> bool:
    """Whether the letters of a text are others than those that are shown: its font tells them wrongly."""
    letters = sum(not character.isspace() for character in text)
    if len(_NO_LETTER.findall(text)) > letters * _BROKEN:
        return letters > _FEWEST
    words = text.split()
    latin = Counter("".join(_LATIN.findall(text)).lower())
    count = latin.total()
    if count < _FEWEST or count < sum(map(str.isalpha, text)) * (1 - _BROKEN):
        return False
    vowels = sum(latin[letter] for letter in _VOWELS) / count
    mixed = sum(bool(_MIXED.search(word)) for word in words) / len(words)
    return mixed > _BROKEN or not _LEAST < vowels < _MOST


def xfa_of(document: pdfium.PdfDocument) -> bytes:
    """The description of a form that is made of XFA, as XML; empty for any other file."""
    if document.get_formtype() != raw.FORMTYPE_XFA_FULL:
        return b""
    return b"".join(_packet(document, number) for number in range(raw.FPDF_GetXFAPacketCount(document)))


def _packet(document: pdfium.PdfDocument, number: int) -> bytes:
    length = c_ulong()
    raw.FPDF_GetXFAPacketContent(document, number, None, 0, byref(length))
    content = (c_ubyte * length.value)()
    raw.FPDF_GetXFAPacketContent(document, number, content, length.value, byref(length))
    return bytes(content)


_XFA_GONE = ("hidden", "invisible", "inactive")


def xfa_texts(form: bytes) -> Iterator[str]:
    """Texts of a form in the order in which it describes them, and the values that were typed in."""
    if ENTITY.search(form):
        raise Unreadable("entities")
    root = etree.fromstring(form, etree.XMLParser(resolve_entities=False, no_network=True, recover=True))
    for element in root.iter("{*}draw", "{*}field") if root is not None else ():
        if not any(one.get("presence") in _XFA_GONE for one in (element, *element.iterancestors())):
            values = element.iter("{*}text", "{*}exData")
            yield " ".join(" ".join(str(text) for value in values for text in value.itertext()).split())
    for value in root.iterfind(".//{*}datasets/{*}data//*") if root is not None else ():
        if len(value) == 0 and (value.text or "").strip():
            yield f"{etree.QName(value).localname}: {' '.join((value.text or '').split())}"
