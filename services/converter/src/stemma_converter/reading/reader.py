"""The entry: what a file is, and who reads it."""

from __future__ import annotations

from collections.abc import Callable

from .composing import Composer, Full
from .delimited import read_csv
from .errors import Unreadable
from .kinds import Kind, claimed, kind_of
from .limits import Limits
from .mail import read_eml, read_msg
from .names import suffix_of
from .pandoc_formats import read_html, read_odt, read_rtf
from .pdf import read_pdf
from .pictures import read_picture, read_svg
from .plain_text import read_markdown, read_text
from .result import Reading
from .slides import read_slides
from .word import read_word
from .workbook import read_workbook

_MEGABYTE = 1024 * 1024
_READERS: dict[Kind, Callable[[bytes, Composer], None]] = {
    Kind.PDF: read_pdf,
    Kind.DOCX: read_word,
    Kind.XLSX: read_workbook,
    Kind.PPTX: read_slides,
    Kind.ODT: read_odt,
    Kind.RTF: read_rtf,
    Kind.HTML: read_html,
    Kind.EML: read_eml,
    Kind.MSG: read_msg,
    Kind.IMAGE: read_picture,
    Kind.SVG: read_svg,
    Kind.CSV: read_csv,
    Kind.MARKDOWN: read_markdown,
    Kind.TEXT: read_text,
}
_ADVICE = {
    Kind.XLSX: "All sheets are empty.",
    Kind.CSV: "It has no values.",
    Kind.PDF: "It is a scan that was not recognised: attach a PDF with text, or have tesseract installed where the "
    "converter runs.",
}


def read_input(name: str, media_type: str | None, content: bytes, limits: Limits) -> Reading:
    """A file from outside as Markdown, with all that was noticed; raises `Unreadable`.

    What it is is told by its content; ``name`` and ``media_type`` decide only between kinds of plain text. A name
    that speaks of another kind is a warning.
    """
    kind = _kind(name, media_type, content, limits)
    composer = Composer(name, limits)
    if (wanted := claimed(name)) and wanted is not kind:
        words = f"The name ends in .{suffix_of(name)}, but the content is of the kind {kind}; it was read as that."
        composer.warn("wrong_suffix", "", words)
    try:
        _READERS[kind](content, composer)
    except Full:
        words = f"Only the first {limits.characters} characters were read; the rest of the file was left out."
        composer.warn("cut", "", words)
    except RecursionError:
        raise Unreadable("damaged", kind=kind) from None
    return _with_text(kind, composer)


def _kind(name: str, media_type: str | None, content: bytes, limits: Limits) -> Kind:
    if not content.strip(b"\0 \t\r\n"):
        raise Unreadable("empty")
    if len(content) > limits.file_bytes:
        raise Unreadable("too_large", size=len(content) // _MEGABYTE, most=limits.file_bytes // _MEGABYTE)
    return kind_of(name, media_type, content, limits)


def _with_text(kind: Kind, composer: Composer) -> Reading:
    reading = composer.reading()
    if not reading.markdown.strip() and not reading.children:
        raise Unreadable("no_text", advice=_ADVICE.get(kind, "Attach the file that it was made from."))
    return reading
