"""The next draft in a lint round: the last one with what the issues name put right."""

from __future__ import annotations

import re

from .phrases import nothing_about
from .plain import safe
from .request import Request

_IMAGE = re.compile(r"!\[[^\]]*\]\(<?([^)>]*)>?\)")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^(#{1,6})\s*(.*?)\s*#*$")
_BULLET = re.compile(r"^(\s*)[*+]\s+")
_DROPPED = re.compile(r"placeholder|left behind|conflict marker", re.I)


def repaired(request: Request) -> str:
    """The previous draft without the named faults; text that no issue names keeps its words."""
    lines = list(request.previous_lines)
    for index, message in request.faults:
        lines[index] = _without_fault(lines[index], message)
    names = {image.name for image in request.images}
    tidy = _spaced(_levelled([_without_dangling(line, names) for line in lines], request.section.title))
    text = "\n".join(tidy).strip("\n")
    return "\n".join([text, *_missing_headings(tidy, request)]) + "\n"


def _without_fault(line: str, message: str) -> str:
    if "image" in message.lower():
        return _IMAGE.sub("", line)
    if _DROPPED.search(message):
        return ""
    return _BULLET.sub(r"\1- ", line.replace("\t", "    "))


def _without_dangling(line: str, names: set[str]) -> str:
    if not names:
        return line
    return _IMAGE.sub(lambda match: match.group() if match.group(1).split(" ")[0] in names else "", line)


def _levelled(lines: list[str], title: str) -> list[str]:
    """One title at the top; below it headings that go down one level at a time."""
    result = [f"# {safe(title)}"]
    level, fenced, titled = 1, False, False
    for line in lines:
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if not heading:
            result.append(line.rstrip())
        elif len(heading.group(1)) == 1 and not titled:
            titled, result[0] = True, f"# {heading.group(2).rstrip('.,;:!')}"
        elif heading.group(2):
            level = max(2, min(len(heading.group(1)), level + 1))
            result.append(f"{'#' * level} {heading.group(2).rstrip('.,;:!')}")
    return [*result, "```"] if fenced else result


def _spaced(lines: list[str]) -> list[str]:
    """Blank lines where blocks begin and end, and never two of them."""
    result: list[str] = []
    fenced = False
    for line in lines:
        fence = bool(_FENCE.match(line))
        if not fenced and result and result[-1] and line and _needs_gap(result[-1], line):
            result.append("")
        if line or (result and (result[-1] or fenced)):
            result.append(line)
        fenced ^= fence
    return result


def _needs_gap(before: str, after: str) -> bool:
    kinds = (_kind(before), _kind(after))
    if "heading" in kinds or kinds == ("fence", "fence"):
        return True
    return kinds[0] != kinds[1] and kinds != ("list", "text")


def _kind(line: str) -> str:
    if _HEADING.match(line):
        return "heading"
    if _FENCE.match(line):
        return "fence"
    if re.match(r"^\s*(?:[-*+]|\d+[.)])\s", line):
        return "list"
    if line.startswith("  "):
        return "list"
    return "table" if line.lstrip().startswith("|") else "text"


def _missing_headings(lines: list[str], request: Request) -> list[str]:
    present = {match.group(2).lower() for line in lines if (match := _HEADING.match(line))}
    missing = [name for name in request.headings if name.lower() not in present]
    return [
        part for name in missing for part in ("", f"## {safe(name)}", "", safe(nothing_about(name, request.position)))
    ]
