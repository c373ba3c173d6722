"""Text and Markdown: as they stand there."""

from __future__ import annotations

from stemma_markdown import Document

from . import escaping
from .composing import PATH, Composer
from .decoding import decoded
from .errors import Unreadable


def read_text(content: bytes, composer: Composer) -> None:
    """Plain text; each paragraph is a block."""
    for paragraph in escaping.clean(text_of(content, composer)).split("\n\n"):
        if block := paragraph.strip("\n").rstrip():
            composer.block(block)


def read_markdown(content: bytes, composer: Composer) -> None:
    """Markdown, whose headings are its places."""
    text = escaping.clean(text_of(content, composer)).strip("\n")
    document = Document(text)
    composer.block(text)
    path: list[tuple[int, str]] = []
    for heading in document.headings:
        path = [item for item in path if item[0] < heading.level]
        path.append((heading.level, heading.text))
        composer.anchor("heading", PATH.join(label for _, label in path), at=document.line_start(heading.start))


def text_of(content: bytes, composer: Composer) -> str:
    """The text, and a word about its encoding if it is not Unicode; raises `Unreadable`."""
    found = decoded(content)
    if found is None:
        raise Unreadable("unknown")
    text, encoding = found
    if not encoding.startswith("utf"):
        composer.warn("encoding", "", f"The text is not in Unicode; it was read as {encoding}.")
    return text
