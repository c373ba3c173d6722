"""Image references of an input as they must stand in the document: every other thing stays to the byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from stemma_markdown import Image, images

from stemma_generation_graph.sources.markdown import resolve

SKIPPED = "Image not supplied: "

_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_ESCAPED = re.compile(r"([\\`*\[\]<>]|(?<![^\W_])_|_(?![^\W_]))")
"""What could be markup in a name; an underscore within a word is none."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_REST_IS_BLANK = re.compile(r"[^\S\n]*(?:\n|\Z)")


@dataclass(frozen=True)
class Shown:
    """What takes the place of an image: the name of an asset, or none if it was skipped."""

    asset: str | None


Decide = Callable[[str], Shown]


def one_line(name: str) -> str:
    """A name from an input on one line, so that it cannot become other Markdown."""
    return _CONTROL.sub(" ", name)


def as_shown(file: str, text: str, decide: Decide) -> str:
    """The text of an input with its images as the document shows them.

    An image has the name of its asset, one that was skipped leaves a remark, one on the web becomes a link; of one with
    any other scheme, such as ``file:`` or ``javascript:``, its words stay.
    ``decide`` gets the path inside the input folder.
    """
    pieces, at = [], 0
    for image in images(text):
        pieces += [text[at : image.start], _in_place(text, image, file, decide)]
        at = image.end
    return "".join([*pieces, text[at:]])


def _in_place(text: str, image: Image, file: str, decide: Decide) -> str:
    as_it_was = text[image.start : image.end]
    words = " ".join(image.markup.split())
    if _ELSEWHERE.match(image.target):
        return f"[{words or 'image'}]({address(image.target)})" if _WEB.match(image.target) else words
    name = resolve(file, image.target)
    if not name:
        return as_it_was
    asset = decide(name).asset
    if asset is not None:
        return f"![{words or _described(asset)}]({address(one_line(asset).replace('%', '%25'))})"
    remark = SKIPPED + _ESCAPED.sub(r"\\\1", one_line(name))
    return f"> {remark}" if _stands_alone(text, image) else f"({remark})"


def _stands_alone(text: str, image: Image) -> bool:
    start = image.start
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    before_is_blank = not start or text[start - 1] == "\n"
    return before_is_blank and _REST_IS_BLANK.match(text, image.end) is not None


def _described(asset: str) -> str:
    return re.sub(r"[-_\s]+", " ", PurePosixPath(asset).stem).strip() or "image"


def address(target: str) -> str:
    """The address of a link or of an image as it is written in Markdown, which it cannot leave."""
    closed = target.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E")
    return f"<{closed}>" if re.search(r"[\s()<>]", target) or not target else closed
