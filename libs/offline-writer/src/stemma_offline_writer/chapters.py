"""A chapter of an input as it goes into the document: the same words, in the form that the document has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .inlines import formed, without_inner_links

_FENCE = re.compile(r"[ >]{0,12}(`{3,}|~{3,})")
_QUOTED = ">"
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_LIST = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+\S")
_TABLE = re.compile(r"^\s{0,3}\|.*\|\s*$")
_IMAGE_DEFINITION = re.compile(r"^ {0,3}\[[^\]^]+\]:\s*<?\S+\.(?:png|jpe?g|gif|webp|svg)\b", re.IGNORECASE)
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
# A paragraph in bold would pass for a heading.
_EMPHASISED = re.compile(r"^(\*{2,3}|_{2,3})(?!\s)([^*_]+[^*_.,;:!?\s])\1$")
_BLOCKS = ("list", "table", "fence", "rule")
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:(?!\s*<?\S+\.(?:png|jpe?g|gif|webp|svg)\b)", re.IGNORECASE)
_STRUCTURE = re.compile(r"^\s*(?:[-*+>|#]|\d{1,9}[.)]\s|$)")


def composed(lines: Sequence[str], shift: int, under: int = 0) -> str:
    """The lines with their headings ``shift`` levels deeper and blank lines where Markdown wants them.

    ``under`` is the level of the heading above them, 0 if that is not known: no level is left out.
    """
    written: list[str] = []
    kind = ""
    for line, new in _formed(_with_hash_headings(_without_inner_links(lines)), shift, under):
        apart = new == "heading" or (new != kind and (new in _BLOCKS or kind in ("heading", "table", "fence", "rule")))
        if apart and written and written[-1]:
            written.append("")
        if line or (written and written[-1]):
            written.append(line)
        kind = new if line else ""
    return "\n".join(written).strip("\n")


def safe_cut(lines: Sequence[str]) -> int:
    """How many lines may be written by themselves: up to the last blank one outside of code, or all."""
    open_fence, cut = "", 0
    for place, line in enumerate(lines):
        open_fence = _fence_after(open_fence, line)
        if not open_fence and not line.strip():
            cut = place + 1
    return cut or len(lines)


def _formed(lines: Sequence[str], shift: int, under: int) -> Iterator[tuple[str, str]]:
    """Each line as it is written, and what it is."""
    open_fence, level, last = "", under, ""
    for line in lines:
        after = _fence_after(open_fence, line)
        if open_fence or after:
            in_quote = _QUOTED in (open_fence + after)
            open_fence = after
            yield line if open_fence else line.rstrip(), "text" if in_quote else "fence"
            continue
        last = _kind(line, last)
        if last == "heading":
            level, text = _heading(line, shift, level)
            yield text, last
        elif last != "definition":
            yield _line(line, last), last


def _line(line: str, kind: str) -> str:
    match kind:
        case "rule":
            return "---"
        case "code":
            return line.expandtabs(4).rstrip()
        case "list":
            return formed(line.expandtabs(4).rstrip())
        case _:
            return formed(_EMPHASISED.sub(r"\2", line.expandtabs(4).rstrip()))


def _heading(line: str, shift: int, before: int) -> tuple[int, str]:
    """The level of a heading, which leaves none out, and its line."""
    found = _HEADING.match(line)
    assert found is not None
    level = max(2, min(len(found.group(1)) + shift, before + 1 if before else 6, 6))
    title = formed(found.group(2).expandtabs(1)).strip().rstrip(".,;:!\\")
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
    if _IMAGE_DEFINITION.match(line):
        return "definition"
    if _DEFINITION.match(line) or line.startswith(("    ", "\t")):
        return "code"
    return "table" if _TABLE.match(line) else "text"


def _without_inner_links(lines: Sequence[str]) -> list[str]:
    """The lines outside of code without links inside the input, also those that go over several lines."""
    written, held, open_fence = list[str](), list[str](), ""
    for line in lines:
        after = _fence_after(open_fence, line)
        if open_fence or after:
            written += [*without_inner_links("\n".join(held)).split("\n"), line] if held else [line]
            held = []
        else:
            held.append(line)
        open_fence = after
    return [*written, *without_inner_links("\n".join(held)).split("\n")] if held else written


def _fence_after(open_fence: str, line: str) -> str:
    """The mark of the code block that is open after a line, behind ``>`` in a quote; empty if there is none."""
    found, quoted = _FENCE.match(line), line.lstrip().startswith(_QUOTED)
    if not open_fence or (open_fence.startswith(_QUOTED) and not quoted):
        return (_QUOTED if quoted else "") + found.group(1) if found else ""
    closes = found and found.group(1).startswith(open_fence.lstrip(_QUOTED)) and not line.strip(" `~\t>")
    return "" if closes else open_fence


def _with_hash_headings(lines: Sequence[str]) -> list[str]:
    """Underlined headings in the form with ``#``."""
    written: list[str] = []
    open_fence = ""
    for line in lines:
        open_fence = _fence_after(open_fence, line)
        underline = None if open_fence or not written else _UNDERLINE.match(line)
        if underline and not _STRUCTURE.match(written[-1]):
            written[-1] = f"{'#' if '=' in underline.group(1) else '##'} {written[-1].strip()}"
        else:
            written.append(line)
    return written
