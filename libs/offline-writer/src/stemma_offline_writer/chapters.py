"""A chapter of an input as it goes into the document: the same words, in the form that the document has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stemma_markdown import fences, split, without_html, without_inner_links

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#++$")
_LIST = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+\S")
_TABLE = re.compile(r"^\s{0,3}\|.*\|\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
# A paragraph in bold would pass for a heading.
_EMPHASISED = re.compile(r"^(\*{2,3}|_{2,3})(?!\s)([^*_]+[^*_.,;:!?\s])\1$")
_BLOCKS = ("list", "table", "fence", "rule")


def composed(lines: Sequence[str], shift: int, under: int = 0) -> str:
    """The lines with their headings ``shift`` levels deeper and blank lines where Markdown wants them.

    ``under`` is the level of the heading above them, 0 if that is not known: no level is left out.
    """
    written: list[str] = []
    kind = ""
    # The line end before them keeps lines between two rules from being read as front matter.
    text = without_inner_links("\n" + "\n".join(lines))
    marked = "".join(block.as_heading(block.level) if block.kind == "heading" else block.text for block in split(text))
    for line, new in _without_html(marked.split("\n")[1:], shift, under):
        apart = new == "heading" or (new != kind and (new in _BLOCKS or kind in ("heading", "table", "fence", "rule")))
        if apart and written and written[-1]:
            written.append("")
        if line or (written and written[-1]):
            written.append(line)
        kind = new if line else ""
    return "\n".join(written).strip("\n")


def safe_cut(lines: Sequence[str]) -> int:
    """How many lines may be written by themselves: up to the last blank one outside of code, or all."""
    code = _code(lines)
    return max((at + 1 for at, line in enumerate(lines) if not line.strip() and at not in code), default=len(lines))


def _without_html(lines: Sequence[str], shift: int, under: int) -> Iterator[tuple[str, str]]:
    """Each line as it is written, and what it is."""
    code, level, last = _code(lines), under, ""
    for at, line in enumerate(lines):
        if at in code:
            yield line, code[at]
            continue
        last = _kind(line, last)
        if last == "heading":
            level, text = _heading(line, shift, level)
            yield text, last
        else:
            yield _line(line, last), last


def _line(line: str, kind: str) -> str:
    match kind:
        case "rule":
            return "---"
        case "code":
            return line.expandtabs(4).rstrip()
        case "list":
            return without_html(line.expandtabs(4).rstrip())
        case _:
            return without_html(_EMPHASISED.sub(r"\2", line.expandtabs(4).rstrip()))


def _heading(line: str, shift: int, before: int) -> tuple[int, str]:
    """The level of a heading, which leaves none out, and its line."""
    found = _HEADING.match(line)
    assert found is not None
    level = max(2, min(len(found.group(1)) + shift, before + 1 if before else 6, 6))
    words = _CLOSING.sub("", found.group(2).rstrip())
    title = without_html(words.expandtabs(1)).strip().rstrip(".,;:!\\")
    return level, f"{'#' * level} {title}" if title else ""


def _kind(line: str, before: str) -> str:
    if not line.strip():
        return before if before == "list" else "text"
    if _HEADING.match(line):
        return "heading"
    if _RULE.match(line):
        return "rule"
    if _LIST.match(line) or (before == "list" and line.startswith((" ", "\t"))):
        return "list"
    if line.startswith(("    ", "\t")):
        return "code"
    return "table" if _TABLE.match(line) else "text"


def _code(lines: Sequence[str]) -> dict[int, str]:
    """The places of the lines of fenced code, and what they are: in a quote they are text like the rest of it."""
    found = fences("\n" + "\n".join(line.replace("\r", " ") for line in lines))
    opening = {fence: lines[fence.line - 2].lstrip() for fence in found}
    return {
        number - 2: "text" if opening[fence].startswith(">") else "fence"
        for fence in found
        for number in range(fence.line, fence.last_line + 1)
    }
