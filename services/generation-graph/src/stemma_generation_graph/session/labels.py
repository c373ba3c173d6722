"""Labels of an input: what they mean is inside one file, and the document is made of several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stemma_markdown import Document, Link

from .images import address

_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9]+")
_Change = tuple[int, int, str]


def without_labels(file: str, text: str) -> str:
    """The text with the addresses of its links in place of labels, and footnotes that name the file.

    Lines keep their numbers: where a definition stood is a blank one.
    """
    document = Document(text)
    changes = [*_links(document), *_definitions(document), *_footnotes(file, document)]
    return _changed(text, sorted(changes)) if changes else text


def _changed(text: str, changes: Iterable[_Change]) -> str:
    kept, at = list[str](), 0
    for start, end, new in changes:
        if start >= at:
            kept += [text[at:start], new]
            at = end
    return "".join([*kept, text[at:]])


def _links(document: Document) -> Iterator[_Change]:
    for link in document.links:
        markup = document.text[link.start : link.end]
        if markup.startswith("[") and markup.endswith("]"):
            yield link.start, link.end, f"[{_words(markup)}]({_address(link)})" + "\n" * _hidden_lines(markup)


def _words(markup: str) -> str:
    """The words of ``[words][label]``, ``[words][]`` or ``[words]``."""
    at = markup.rfind("][")
    return markup[1:at] if at > 0 else markup[1:-1]


def _hidden_lines(markup: str) -> int:
    """The line ends inside of a label, which goes."""
    return markup.count("\n") - _words(markup).count("\n")


def _address(link: Link) -> str:
    target = address(link.target)
    title = " ".join(link.title.split()).replace("\\", r"\\").replace('"', r"\"")
    return f'{target} "{title}"' if title else target


def _definitions(document: Document) -> Iterator[_Change]:
    for block in document.blocks:
        if block.kind == "definition":
            yield block.start, block.end, "\n" * block.text.count("\n")


def _footnotes(file: str, document: Document) -> Iterator[_Change]:
    prefix = _NOT_IN_LABEL.sub("-", file.rpartition(".")[0] or file).strip("-")
    for mark in document.footnotes:
        yield mark.start, mark.end, f"{prefix}-{document.text[mark.start : mark.end]}"
