"""Files from outside are read into Markdown that says where everything stood.

`read_input` is the only entry. It is pure but for the programs that it runs on what it reads (pandoc, tesseract), and
is called in a process of its own: all that it reads is hostile.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from stemma_ooxml import PackageError

from .composing import Composer, Full
from .kinds import Kind, as_transitional, claimed, kind_of, suffix_of
from .result import Child, Image, Limits, Reading, Unreadable

_MEGABYTE = 1024 * 1024
# Module and function of each; imported with the first file of its kind, because most of what reads is large.
_READERS = {
    Kind.PDF: ("pdf", "read_pdf"),
    Kind.DOCX: ("word", "read_word"),
    Kind.XLSX: ("workbook", "read_workbook"),
    Kind.PPTX: ("slides", "read_slides"),
    Kind.ODT: ("pandoc_formats", "read_odt"),
    Kind.RTF: ("pandoc_formats", "read_rtf"),
    Kind.HTML: ("pandoc_formats", "read_html"),
    Kind.EML: ("mail", "read_eml"),
    Kind.MSG: ("mail", "read_msg"),
    Kind.ZIP: ("containers", "read_zip"),
    Kind.SIGNED: ("containers", "read_signed"),
    Kind.TNEF: ("mail", "read_tnef"),
    Kind.CALENDAR: ("containers", "read_calendar"),
    Kind.IMAGE: ("pictures", "read_picture"),
    Kind.SVG: ("pictures", "read_svg"),
    Kind.CSV: ("plain_text", "read_csv"),
    Kind.MARKDOWN: ("plain_text", "read_markdown"),
    Kind.TEXT: ("plain_text", "read_text"),
}
_OFFICE = (Kind.DOCX, Kind.XLSX, Kind.PPTX)
_MESSAGES = (Kind.EML, Kind.MSG, Kind.TNEF, Kind.CALENDAR)
_ADVICE = {
    Kind.XLSX: "All sheets are empty.",
    Kind.CSV: "It has no values.",
    Kind.ZIP: "No file is in it.",
    Kind.PDF: "It is a scan that was not recognised: attach a PDF with text, or have tesseract installed where the "
    "converter runs.",
}


def read_input(name: str, media_type: str | None, content: bytes, limits: Limits) -> Reading:
    """A file from outside as Markdown, with all that was noticed; raises `Unreadable`.

    What it is is told by its content; ``name`` and ``media_type`` decide only between kinds of plain text. A name
    that speaks of another kind is a warning.
    """
    kind = "ZIP"
    try:
        kind = _kind(name, media_type, content, limits)
        return _read(kind, name, content, limits)
    except PackageError as error:
        raise Unreadable(error.reason, kind=kind, **error.values) from None


def _read(kind: Kind, name: str, content: bytes, limits: Limits) -> Reading:
    composer = Composer(name, limits)
    if (wanted := claimed(name)) and wanted is not kind:
        words = f"The name ends in .{suffix_of(name)}, but the content is of the kind {kind}; it was read as that."
        composer.warn("wrong_suffix", "", words)
    try:
        _reader(kind)(as_transitional(content, limits) if kind in _OFFICE else content, composer)
    except Full:
        words = f"Only the first {limits.characters} characters were read; the rest of the file was left out."
        composer.warn("cut", "", words)
    except RecursionError:
        raise Unreadable("damaged", kind=kind) from None
    return _with_text(kind, composer)


def load_readers() -> None:
    for kind in _READERS:
        _reader(kind)


def _reader(kind: Kind) -> Callable[[bytes, Composer], None]:
    module, function = _READERS[kind]
    reader: Callable[[bytes, Composer], None] = getattr(import_module(f"{__package__}.{module}"), function)
    return reader


def _kind(name: str, media_type: str | None, content: bytes, limits: Limits) -> Kind:
    if not content.strip(b"\0 \t\r\n"):
        raise Unreadable("empty")
    if len(content) > limits.file_bytes:
        raise Unreadable("too_large", size=len(content) // _MEGABYTE, most=limits.file_bytes // _MEGABYTE)
    return kind_of(name, media_type, content, limits)


def _with_text(kind: Kind, composer: Composer) -> Reading:
    reading = composer.reading()
    if not reading.markdown.strip() and not reading.children:
        garbled = next((warning.detail for warning in reading.warnings if warning.code == "page_garbled"), "")
        raise Unreadable("no_text", advice=garbled or _ADVICE.get(kind, "Attach the file that it was made from."))
    return replace(reading, is_message=kind in _MESSAGES)
