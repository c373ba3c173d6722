"""Markdown inputs in passages that keep tables and code whole, and the images that they refer to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

PASSAGE_CHARS = 1200

_IMG = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """A piece of one input: whole blocks that stand together, and the heading above them."""

    source: str
    position: int
    heading: str
    text: str


@dataclass(frozen=True)
class ImageUse:
    """An image as an input refers to it; ``name`` is the path inside the input folder."""

    name: str
    alt: str


@dataclass(frozen=True)
class SourceDocument:
    """A Markdown input, taken apart."""

    name: str
    passages: tuple[Passage, ...]
    images: tuple[ImageUse, ...]


def read_source(name: str, text: str) -> SourceDocument:
    """Take one Markdown input apart; ``name`` is its path inside the input folder."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return SourceDocument(name, tuple(_passages(name, text, tokens)), tuple(_images(name, tokens)))


def _passages(name: str, text: str, tokens: list[Token]) -> Iterator[Passage]:
    lines = text.split("\n")
    heading, held = "", list[str]()
    position = 0
    for token, content in _blocks(tokens):
        starts = token.type == "heading_open"
        block = "\n".join(lines[slice(*(token.map or (0, 0)))]).strip("\n")
        if held and (starts or sum(map(len, held)) + len(block) > PASSAGE_CHARS):
            yield Passage(name, position, heading, "\n\n".join(held))
            position, held = position + 1, []
        if starts:
            heading = content
        held.append(block)
    if held:
        yield Passage(name, position, heading, "\n\n".join(held))


def _blocks(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """The outermost blocks that have lines, each with the text of its first inline child."""
    for index, token in enumerate(tokens):
        if token.level == 0 and token.map and token.nesting >= 0:
            following = tokens[index + 1] if index + 1 < len(tokens) else token
            yield token, following.content


def _images(name: str, tokens: list[Token]) -> Iterator[ImageUse]:
    """Every image in its place; one without a description of its own is described by the heading above it."""
    heading = ""
    for before, token in pairwise([Token("start", "", 0), *tokens]):
        if before.type == "heading_open":
            heading = token.content
        for reference, alt in _references(token):
            yield ImageUse(resolve(name, reference), alt.strip() or heading)


def _references(token: Token) -> Iterator[tuple[str, str]]:
    if token.type == "html_block":
        yield from _html_images(token.content)
    for child in token.children or ():
        if child.type == "image":
            yield str(child.attrGet("src") or ""), child.content
        elif child.type == "html_inline":
            yield from _html_images(child.content)


def _html_images(html: str) -> Iterator[tuple[str, str]]:
    for tag in _IMG.findall(html):
        attributes = {key.lower(): double or single for key, double, single in _ATTRIBUTE.findall(tag)}
        yield attributes.get("src", ""), attributes.get("alt", "")


def resolve(document: str, reference: str) -> str:
    """The path inside the input folder that a reference means; ``""`` for an address elsewhere or a folder."""
    parts = urlsplit(reference) if "\x00" not in reference and "[" not in reference else urlsplit("x:")
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or posixpath.basename(path) in ("", ".", ".."):
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), path))
