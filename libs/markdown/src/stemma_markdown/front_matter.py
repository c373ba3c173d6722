"""The prose and the title that stand in front matter, as systems of content management write it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lines import Lines

LEAST_WORDS = 6
"""Of a value that is prose; where a script knows no spaces, one that ends as a sentence does is."""

_BLOCK = re.compile(r"(\s*)(?:- )?[\w\"'][\w .\"'-]{0,100}:\s+[>|][+-]?\d?[+-]?\s*")
_VALUE = re.compile(r"\s*(?:- )?[\w\"'][\w .\"'-]{0,100}?:\s+(\S.*)")
_TITLE = re.compile(r"title:[ \t]{1,9}(\S.*)")
_TITLE_TAG = re.compile(r"(#{1,6}[ \t]{1,9})(?:<%=|\{\{)-?\s{0,9}[\w.]{0,100}title\s{0,9}-?(?:%>|\}\})")
_SENTENCE = (".", "!", "?", "。", "！", "？")


def with_prose_of_front_matter(source: str) -> str:
    """The text with the prose in the values of its YAML front matter as content, every line where it was.

    A text without such prose stays as it is. A block value (``key: >-``) counts, and a value of one line if it is a
    sentence; what else stands in the front matter becomes blank lines.
    """
    lines = Lines(source)
    front = lines.texts[: lines.front_matter]
    if not front or front[0].strip() != "---":
        return source
    opened = ["\n", *_prose(front[1:-1]), "\n"]
    return "".join((*opened, *lines.texts[len(front) :])) if any(map(str.strip, opened)) else source


def title_in_front_matter(lines: Lines) -> str:
    """The title that YAML front matter gives; nothing, if it gives none."""
    front = lines.texts[: lines.front_matter]
    title = next(filter(None, map(_TITLE.match, front)), None)
    return title[1].strip().strip("\"'") if title else ""


def with_title_of_front_matter(source: str) -> str:
    """The text with the title of its YAML front matter in place of a first heading that is a tag for it.

    ``# {{ page.title }}`` and ``# <%= current_page.data.title %>`` are such headings; any other text stays as it is.
    """
    lines = Lines(source)
    front = lines.texts[: lines.front_matter]
    title = title_in_front_matter(lines)
    first = next((number for number in range(len(front), len(lines.texts)) if lines.texts[number].strip()), 0)
    tag = _TITLE_TAG.match(lines.texts[first]) if title and first else None
    if not title or not tag or lines.texts[first][tag.end() :].strip():
        return source
    heading = f"{tag[1]}{title}{lines.texts[first][tag.end() :]}"
    return "".join((*lines.texts[:first], heading, *lines.texts[first + 1 :]))


def _prose(lines: list[str]) -> Iterator[str]:
    outer: int | None = None
    inner = 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if outer is not None and (not line.strip() or indent > outer):
            inner = inner or indent * bool(line.strip())
            yield line[min(inner, indent) :] if line.strip() else "\n"
            continue
        block = _BLOCK.fullmatch(line)
        outer, inner = (len(block.group(1)) if block else None), 0
        yield f"{_sentence(line)}\n"


def _sentence(line: str) -> str:
    found = _VALUE.fullmatch(line.rstrip())
    value = found.group(1).strip("\"'") if found else ""
    is_long = len(value.split()) >= LEAST_WORDS or not value.isascii()
    return value if is_long and value.endswith(_SENTENCE) else ""
