"""Image references of an input as they must stand in the document: every other thing stays to the byte."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference, unescapeAll

from stemma_generation_graph.sources.markdown import resolve

SKIPPED = "Image not supplied: "

_ALT = r"!\[(?P<alt>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,1000})\]"
_TITLE = r"(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?"
_TARGET = r"(?:<(?P<angle>[^<>\n]{0,1000})>|(?P<plain>[^\s()<>]{1,1000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,500}){0,5}))"
_IMAGE = re.compile(
    rf"(?<!\\){_ALT}(?:\(\s*{_TARGET}{_TITLE}\s*\)|\[(?P<label>[^\[\]]{{0,500}})\]|(?![\[(]))"
    r"|(?P<html><img\b[^<>]{0,2000}>)",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""\b(src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).){1,2000}?(?<!`)\1(?!`)", re.DOTALL)
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_ESCAPED = re.compile(r"([\\`*_\[\]<>])")
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

    An image has the name of its asset, one that was skipped leaves a remark, one on another host becomes a link.
    ``decide`` gets the path inside the input folder.
    """
    env: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").enable("table").parse(text, env)
    code = [*_code_lines(text, [t.map for t in tokens if t.type in ("fence", "code_block") and t.map])]
    code += [found.span() for found in _CODE_SPAN.finditer(text)]
    is_code = _within(code)
    definitions = {label: str(entry.get("href", "")) for label, entry in env.get("references", {}).items()}

    def put(found: re.Match[str]) -> str:
        if is_code(found.start()):
            return found.group()
        target = _target(found, definitions)
        return found.group() if target is None else _in_place(text, found, file, target, decide)

    return _IMAGE.sub(put, text)


def _within(spans: Iterable[tuple[int, int]]) -> Callable[[int], bool]:
    """Whether a place is in one of the spans, which may overlap."""
    ordered = sorted(spans)
    starts = [first for first, _ in ordered]
    ends = [0, *accumulate((last for _, last in ordered), max)]
    return lambda place: place < ends[bisect_right(starts, place)]


def _code_lines(text: str, ranges: list[list[int]]) -> Iterator[tuple[int, int]]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for first, last in ranges:
        yield starts[first], starts[min(last, len(starts) - 1)]


def _target(found: re.Match[str], definitions: dict[str, str]) -> str | None:
    """The address of an image; none if it is not one, for want of a definition or of an address."""
    if found["html"]:
        return _attributes(found["html"]).get("src")
    if found["plain"] is not None or found["angle"] is not None:
        return unescapeAll(found["angle"] if found["plain"] is None else found["plain"])
    return definitions.get(normalizeReference(found["label"] or found["alt"]))


def _in_place(text: str, found: re.Match[str], file: str, target: str, decide: Decide) -> str:
    alt = _attributes(found["html"]).get("alt", "") if found["html"] else found["alt"]
    words = " ".join(alt.split())
    if _SCHEME.match(target):
        return words if target[:5].lower() == "data:" else f"[{words or 'image'}](<{target}>)"
    name = resolve(file, target)
    if not name:
        return found.group()
    asset = decide(name).asset
    if asset is not None:
        return f"![{words or _described(asset)}]({_address(asset)})"
    remark = SKIPPED + _ESCAPED.sub(r"\\\1", one_line(name))
    return f"> {remark}" if _stands_alone(text, found) else f"({remark})"


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    start = found.start()
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    before_is_blank = not start or text[start - 1] == "\n"
    return before_is_blank and _REST_IS_BLANK.match(text, found.end()) is not None


def _attributes(html: str) -> dict[str, str]:
    return {key.lower(): double or single for key, double, single in _ATTRIBUTE.findall(html)}


def _described(asset: str) -> str:
    return re.sub(r"[-_\s]+", " ", PurePosixPath(asset).stem).strip() or "image"


def _address(asset: str) -> str:
    return f"<{one_line(asset)}>" if re.search(r"[\s()<>]", asset) else asset
