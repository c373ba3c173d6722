"""Images, recognised where tesseract is installed; SVG is drawn without network, files, scripts and own fonts."""

import os
import re
import shutil
import subprocess
from functools import cache
from io import BytesIO
from itertools import groupby
from math import ceil
from typing import NamedTuple

import noto_cjk_sans_jp_regular  # type: ignore[import-untyped]
import resvg_py
from lxml import etree
from PIL import Image, ImageSequence, UnidentifiedImageError
from stemma_markdown import escaping
from stemma_ooxml import ENTITY

from .composing import Composer
from .pdf_lines import between
from .result import Limits, Unreadable

# More than one thread of it for a page costs more time than it saves.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/local/bin", "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
# Its CPU time is limited, and it has no clock of its own: a busy machine leaves no page unread.
_LIMITED = ("/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"')
_TO_LIST_S = 10
_WORD, _FIELDS = "5", 12
_LEAST_CONFIDENCE, _SURE = 20.0, 70.0
_HYPHENS = ("-", "‐", "¬")


@cache
def program() -> str | None:
    return shutil.which("tesseract", path=_ENVIRONMENT["PATH"])


@cache
def _installed() -> frozenset[str]:
    told = _run([program() or "", "--list-langs"], b"", _TO_LIST_S)
    return frozenset(told.decode("utf-8", "replace").split("\n")[1:]) - {"", "osd"}


class SeenWord(NamedTuple):
    text: str
    left: int
    top: int
    width: int
    height: int


class Recogniser:
    def __init__(self, limits: Limits) -> None:
        self._languages = "+".join(language for language in limits.languages if program() and language in _installed())
        self._pages = limits.recognised_pages if self._languages else 0
        self._until = _spent() + limits.recognition_seconds

    def may(self) -> bool:
        return self._pages > 0 and _spent() < self._until

    def paragraphs(self, picture: Image.Image, dpi: int) -> list[str]:
        return _paragraphs(self._told(picture, dpi))

    def words(self, picture: Image.Image, dpi: int) -> list[SeenWord]:
        rows = (line.split("\t") for line in self._told(picture, dpi).splitlines())
        sure = (row for row in rows if len(row) == _FIELDS and row[0] == _WORD and float(row[10]) >= _SURE)
        return [SeenWord(row[11].strip(), *map(int, row[6:10])) for row in sure]

    def _told(self, picture: Image.Image, dpi: int) -> str:
        self._pages -= 1
        buffer = BytesIO()
        picture.convert("L").save(buffer, "PNG", compress_level=1)
        command = [program() or "", "-", "-", "-l", self._languages, "--dpi", str(dpi), "tsv"]
        return _run(command, buffer.getvalue(), self._until - _spent()).decode("utf-8", "replace")


def _spent() -> float:
    return sum(os.times()[:4])


def _run(command: list[str], data: bytes, seconds: float) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - a program of the system, told nothing that comes from outside
            [*_LIMITED, str(max(1, ceil(seconds))), *command],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            check=False,
        )
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""


def _paragraphs(table: str) -> list[str]:
    """The words of tesseract's table, paragraph by paragraph; what it is not sure of at all are specks."""
    rows = (line.split("\t") for line in table.splitlines())
    words = [row for row in rows if len(row) == _FIELDS and row[0] == _WORD and _is_word(row)]
    found = []
    for _, paragraph in groupby(words, key=lambda row: row[2:4]):
        lines = [" ".join(row[11] for row in line) for _, line in groupby(paragraph, key=lambda row: row[4])]
        found.append(_joined(lines))
    return found


def _is_word(row: list[str]) -> bool:
    return bool(row[11].strip()) and float(row[10]) >= _LEAST_CONFIDENCE


def _joined(lines: list[str]) -> str:
    text = ""
    for line in lines:
        divided = text.endswith(_HYPHENS) and line[:1].islower()
        text = text[:-1] + line if divided else f"{text}{between(text, line)}{line}".strip()
    return text


_KINDS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")
_DPI = 200
_SEVERAL = ("TIFF",)
LONGEST_EDGE = 2400
_USUAL_EDGE = 1200
_HREF = ("href", "{http://www.w3.org/1999/xlink}href")
_IMAGES = re.compile(r"data:image/(?:png|jpeg|jpg|gif|webp)[;,]", re.IGNORECASE)
# Drawings may declare a document type, other than the parts of an Office document.
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
_LEFT_OUT = ("script", "foreignObject")
_FAMILY = "Noto Sans CJK JP"
_NUMBER = re.compile(r"\s*+([\d.]++)\s*+(?:px)?\s*+$")


def read_picture(content: bytes, composer: Composer) -> None:
    try:
        with Image.open(BytesIO(content), formats=_KINDS) as image:
            recogniser = Recogniser(composer.limits)
            several = image.format in _SEVERAL and getattr(image, "n_frames", 1) > 1
            for number, frame in enumerate(ImageSequence.Iterator(image) if several else [image], 1):
                if number > composer.limits.pages:
                    break
                if several:
                    composer.anchor("page", f"p. {number}")
                _put(frame, f"p. {number}" if several else "", composer, recogniser)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError):
        raise Unreadable("damaged", kind="image") from None


def read_svg(content: bytes, composer: Composer) -> None:
    composer.paragraph(composer.image(svg_to_png(content), composer.title))


def _put(image: Image.Image, place: str, composer: Composer, recogniser: Recogniser) -> None:
    if image.width * image.height > composer.limits.image_pixels:
        most = composer.limits.image_pixels // 1_000_000
        raise Unreadable("too_many_pixels", size=image.width * image.height // 1_000_000, most=most)
    composer.count(pages=1)
    buffer = BytesIO()
    image.convert("RGBA" if image.mode in ("RGBA", "LA", "PA", "P") else "RGB").save(buffer, "PNG", compress_level=1)
    composer.paragraph(composer.image(buffer.getvalue(), composer.title, place))
    if not recogniser.may():
        words = "Text in the picture, if there is any, was not recognised: tesseract is not there, or out of time."
        composer.warn("page_not_recognised", place, words)
        return
    found = recogniser.paragraphs(image, int(image.info.get("dpi", (_DPI,))[0]) or _DPI)
    composer.count(recognised=1 if found else 0)
    for paragraph in found:
        composer.paragraph(escaping.inline(paragraph))


def svg_to_png(content: bytes) -> bytes:
    """The drawing at 1,200 pixels or its own size up to 2,400; raises `Unreadable`.

    An address leads into the drawing, or is an image in it: anything else is left out.
    """
    if ENTITY.search(content):
        raise Unreadable("entities")
    try:
        root = etree.fromstring(content, _PARSER)
        _keep_inside(root)
        text = etree.tostring(root, encoding="unicode")
        picture: bytes = bytes(
            resvg_py.svg_to_bytes(
                svg_string=text,
                width=_width(root),
                skip_system_fonts=True,
                font_files=[str(noto_cjk_sans_jp_regular.FONT_PATH)],
                font_family=_FAMILY,
                serif_family=_FAMILY,
                sans_serif_family=_FAMILY,
                monospace_family=_FAMILY,
            )
        )
    except (ValueError, etree.XMLSyntaxError):
        raise Unreadable("damaged", kind="SVG") from None
    return picture


def _keep_inside(root: etree._Element) -> None:
    for element in list(root.iter()):
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if name in _LEFT_OUT and (parent := element.getparent()) is not None:
            parent.remove(element)
            continue
        for attribute in _HREF:
            address = element.get(attribute, "").strip()
            if address and not address.startswith("#") and not _IMAGES.match(address):
                del element.attrib[attribute]


def _width(root: etree._Element) -> int:
    wide, high = _size(root)
    edge = min(max(wide, high, _USUAL_EDGE), LONGEST_EDGE)
    return max(1, round(wide * edge / max(wide, high)))


def _size(root: etree._Element) -> tuple[float, float]:
    told = [_NUMBER.match(root.get(name, "")) for name in ("width", "height")]
    box = root.get("viewBox", "").replace(",", " ").split()
    try:
        width, height = (float(found[1]) for found in told if found)
    except ValueError:
        try:
            width, height = float(box[2]), float(box[3])
        except (IndexError, ValueError):
            return _USUAL_EDGE, _USUAL_EDGE
    if width <= 0 or height <= 0 or not 1 / 100 <= width / height <= 100:
        raise ValueError("no size that can be drawn")
    return width, height
