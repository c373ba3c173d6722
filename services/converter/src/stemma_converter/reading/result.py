"""What reading takes and gives: limits, results, and the reasons of a refusal."""

from dataclasses import dataclass, field
from typing import Literal

from stemma_contracts.v1.inputs import Anchor, ReadingFigures, ReadingWarning
from stemma_ooxml import Package

AnchorKind = Literal["page", "heading", "sheet", "slide", "part", "paragraph"]
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Image:
    """An image of the file, re-encoded; the Markdown shows it under ``name`` at ``offset`` characters."""

    name: str
    media_type: str
    data: bytes = field(repr=False)
    offset: int


@dataclass(frozen=True)
class Child:
    """A file inside the file, as it was: the attachment of a message."""

    name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Reading:
    """A file as Markdown; ``title`` is the one among its properties.

    An anchor reaches to the next one of its kind. Its label is what people cite: ``p. 12``, ``Prices!A1:D20``,
    ``slide 3``, the path of a heading such as ``3 Scope > 3.2 Period``, ``From: ...`` of a message, ``para. 7``.
    """

    markdown: str
    anchors: tuple[Anchor, ...] = ()
    images: tuple[Image, ...] = ()
    children: tuple[Child, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
    figures: ReadingFigures = field(default_factory=ReadingFigures)
    title: str = ""
    is_message: bool = False


class Unreadable(Exception):
    """The file cannot be read; it stays attached.

    ``reason`` is one of the keys of `WORDS`. ``words`` say to a person what it is and what to do.
    """

    def __init__(self, reason: str, **values: object) -> None:
        self.reason = reason
        self.words = WORDS[reason].format(**values)
        super().__init__(reason, self.words)


WORDS = {
    "empty": "The file is empty: nothing is in it. Attach it again from where it came.",
    "password": "The file is locked with a password. Save a copy without one and attach that.",
    "macros": "The file holds macros, which are not let in. Save it without macros (as {instead}) and attach that.",
    "old_office": "The file is in the format of Office before 2007. Save it as {instead} and attach that.",
    "wrong_suffix": "The name ends in .{suffix}, but the content is nothing of that kind. Attach the file as it was "
    "made, or export it anew.",
    "unknown": "This kind of file cannot be read. Save it as PDF, DOCX, XLSX or text and attach that.",
    "archive": "The file is an archive. Unpack it and attach the files that are in it.",
    "encrypted": "The file is encrypted for the key of a person. Open it where that key is, and attach what is in it.",
    "signature": "The file is a signature without the file that it signs. Attach that file itself.",
    "too_large": "The file has {size} MB; at most {most} MB are read. Split it, or leave out large images.",
    "too_many_pixels": "The image has {size} megapixels; at most {most} are read. Save it smaller.",
    "bomb": "Unpacked, the file would have {size} MB; at most {most} MB are read. It is either made to do harm, or "
    "holds very large images or tables: split it.",
    "entities": "The file defines entities of XML, which documents do not need and attacks use. Export it anew.",
    "damaged": "The file is damaged: it cannot be opened as {kind}. Export it anew, or attach it as PDF.",
    "no_text": "No text was found in the file. {advice}",
}


@dataclass(frozen=True)
class Limits:
    """Bounds of reading one file. Beyond the first two it is refused, beyond the others the rest is left out and told.

    ``unpacked_bytes`` is what all parts of a package have together, looked at before any is unpacked.
    ``recognised_pages`` is how many pages without text are recognised, 0 for none, and ``recognition_seconds`` the time
    for all of them; ``languages`` are those that tesseract is to expect, in its own names.
    """

    file_bytes: int = 100 * _MEGABYTE
    unpacked_bytes: int = 300 * _MEGABYTE
    characters: int = 5_000_000
    pages: int = 2000
    cells: int = 500_000
    images: int = 200
    image_bytes: int = 20 * _MEGABYTE
    image_pixels: int = 40_000_000
    children: int = 100
    recognised_pages: int = 200
    languages: tuple[str, ...] = ("eng",)
    recognition_seconds: float = 200

    def package(self, content: bytes) -> Package:
        """An Office file; every part may be as large as all of them together."""
        return Package(content, self.unpacked_bytes, most_xml=self.unpacked_bytes)
