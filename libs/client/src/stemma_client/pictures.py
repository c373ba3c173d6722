"""Images that a person adds to a text."""

import hashlib
import re
from contextlib import aclosing
from pathlib import Path

from stemma_contracts.v1 import events as e
from stemma_markdown import Document

from .client import Client
from .errors import InvalidInputError

SUFFIX = ".svg"


async def drawn(client: Client, document_id: str, file: Path, name: str) -> str:
    """The name of the image that a drawing becomes, which sections may show; the drawing is an input called ``name``.

    Raises `InvalidInputError` if it cannot be drawn.
    """
    view = await client.document(document_id)
    if not any(one.name == name for one in view.counting):
        await client.add_input(document_id, file, name=name)
    input_id = ""
    async with aclosing(client.follow(document_id)) as happened:
        async for event in happened:
            match event.contract:
                case e.DocumentInputAdded(file=given, input_id=found) if given.name == name:
                    input_id = found
                case e.DocumentInputRead(input_id=found, reading=reading) if found == input_id and reading.images:
                    return reading.images[0].name
                case e.DocumentInputUnreadable(input_id=found, unreadable=why) if found == input_id:
                    raise InvalidInputError(f"{file} cannot be drawn: {why.detail or why.reason}")
                case _:
                    pass
    raise InvalidInputError(f"{file} was not drawn: the connection was closed")


_SHOWN = {".png", ".jpg", ".jpeg", ".gif", ".webp", SUFFIX}
_MARKUP, _ESCAPED = re.compile(r"([\\`*_\[\]<>])"), r"\\\1"
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]+")


def name_of(file: Path) -> str:
    """A name that only this image has, of its file's name and its content; raises `InvalidInputError`."""
    _check(file.name)
    try:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    return picture_name(file.name, digest)


def picture_name(file_name: str, digest: str) -> str:
    """The same of a file whose SHA-256 is known; raises `InvalidInputError` for one that is no image by its name."""
    _check(file_name)
    words = _NOT_IN_NAME.sub("-", Path(file_name).stem).strip("-")[:60] or "image"
    return f"{words}-{digest[:8]}{Path(file_name).suffix.lower()}"


def _check(file_name: str) -> None:
    if Path(file_name).suffix.lower() not in _SHOWN:
        raise InvalidInputError(f"{file_name} cannot be shown in a document; PNG, JPEG, GIF, WebP and SVG can")


def with_image(text: str, name: str, caption: str, under: str | None) -> str:
    """The text with an image as a paragraph of its own: at its end, or before the heading after ``under``.

    Raises `InvalidInputError` if no heading says that.
    """
    place = len(text) if under is None else _end_of(text, under)
    before, after = text[:place].rstrip("\n"), text[place:]
    return f"{before}\n\n{image_markup(name, caption)}\n" + (f"\n{after}" if after else "")


def image_markup(name: str, caption: str) -> str:
    """An image as it stands in a text."""
    return f"![{_MARKUP.sub(_ESCAPED, ' '.join(caption.split()))}]({name})"


def _end_of(text: str, heading: str) -> int:
    document = Document(text)
    wanted = heading.strip().casefold()
    blocks = iter(document.blocks)
    titles = {found.line: found.text for found in document.headings}
    if not any(titles.get(block.line, "").strip().casefold() == wanted for block in blocks if block.kind == "heading"):
        raise InvalidInputError(f"no heading of the section says {heading!r}")
    return next((block.start for block in blocks if block.kind == "heading"), len(text))
