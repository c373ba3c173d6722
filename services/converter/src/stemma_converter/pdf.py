"""The document as PDF: pandoc writes Typst, Typst sets the pages."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import pairwise
from pathlib import Path
from typing import Any

from babel import Locale

from .chapters import DEPTH, numbers
from .manuscript import Manuscript
from .page_references import with_typst_pages
from .pages import Pages, set_pages
from .pandoc import Pandoc
from .staging import staged
from .tree import Node, attributes, node, plain, rewrite

_FIELD = re.compile(r"\.\w")
_RAW = {"'": "'", '"': '"', "-?": r"\-\?"}
"""As Typst is given them: pandoc hides what quotation marks are, and of ``-?`` Typst makes a place to break a word."""
_TO_GIVE_RAW = re.compile(r"""(['"]|-\?)""")
_LOOK = {
    "typst:width": "100%",
    "typst:fill": 'rgb("#fff7e6")',
    "typst:inset": "8pt",
    "typst:stroke": '(left: 2pt + rgb("#c98a00"))',
}

_HEADER_LOOK = {
    "typst:fill": '(x, y) => if y == 0 { rgb("#e8eef5") }',
    "typst:stroke": '(x, y) => (bottom: if y == 0 { 1pt + rgb("#1f4e79") } else { 0.5pt + rgb("#c9d1db") })',
}


async def to_pages(
    manuscript: Manuscript, pandoc: Pandoc, config: Path, fonts: Sequence[Path], source_written: asyncio.Event
) -> Pages:
    """Pages with contents, numbered headings and captions; the same bytes for the same manuscript.

    ``source_written`` is set once only the typesetter is at work.
    """
    async with staged(manuscript, attributes("", "notice", **_LOOK)) as (folder, blocks):
        prepared = for_typst(with_typst_pages(rewrite(blocks, _with_header_look)))
        options = ("--template", config / "document.typ", "--wrap=none", "--syntax-highlighting=idiomatic")
        (folder / "main.typ").write_bytes(await pandoc.write("typst", prepared, folder=folder, options=options))
        facts = json.dumps({**_facts(manuscript), "headings": list(_headings(blocks))}, ensure_ascii=False)
        (folder / "facts.json").write_text(facts, encoding="utf-8")
        source_written.set()
        return await set_pages(folder, pandoc.limits, int(manuscript.created_at.timestamp()), fonts)


def for_typst(value: Any) -> Any:
    """A copy in which no ``.name`` follows a call, quotation marks are those of the language, and ``-?`` is itself.

    Typst would take the word for a field of the result. Lines of the source end in spaces, as which pandoc writes them.
    """
    if isinstance(value, dict):
        return {**value, "c": for_typst(value["c"])} if isinstance(value.get("c"), list) else value
    if not isinstance(value, list):
        return value
    new: list[Any] = []
    for before, item in pairwise([None, *value]):
        if isinstance(item, dict) and item["t"] == "Str":
            new += _word(item["c"], follows=isinstance(before, dict))
        elif isinstance(item, dict) and item["t"] == "SoftBreak":
            new.append(node("Space"))
        else:
            new.append(for_typst(item))
    return new


def _word(word: str, *, follows: bool) -> Iterator[Node]:
    if follows and _FIELD.match(word):
        yield node("RawInline", "typst", "\\.")
        word = word[1:]
    for part in _TO_GIVE_RAW.split(word):
        if part in _RAW:
            yield node("RawInline", "typst", _RAW[part])
        elif part:
            yield node("Str", part)


def _with_header_look(item: Node) -> list[Node]:
    """Typst's own rules cannot tell a table with a header from one without."""
    if item["t"] != "Table" or not item["c"][3][1]:
        return [item]
    _, caption, columns, head, *rest = item["c"]
    return [node("Table", attributes(**_HEADER_LOOK), caption, columns, rewrite(head, _bold), *rest)]


def _bold(item: Node) -> list[Node]:
    return [node("Plain", [node("Strong", item["c"])])] if item["t"] == "Plain" and item["c"] else [item]


def _headings(blocks: list[Node]) -> Iterator[tuple[int, str]]:
    headers = [block["c"] for block in blocks if block["t"] == "Header"]
    for (level, _, words), number in zip(headers, numbers(level for level, _, _ in headers), strict=True):
        if level <= DEPTH:
            yield level, f"{number} {plain(words)}"


def _facts(manuscript: Manuscript) -> dict[str, object]:
    created = manuscript.created_at.astimezone(UTC)
    parts = ("year", "month", "day", "hour", "minute", "second")
    words = manuscript.language.words
    return {
        **manuscript.running(),
        "contents": words.contents,
        "page_of": words.page_of,
        "language": _typst_language(manuscript.tag),
        "created": {part: getattr(created, part) for part in parts},
    }


def _typst_language(tag: str) -> dict[str, str]:
    """The language as Typst takes it, for hyphenation and quotation marks; Chinese is that of the mainland."""
    found = Locale.parse(tag, sep="-")
    region = found.territory or ("CN" if found.language == "zh" else None)
    return {"lang": found.language} | ({"region": region} if region else {})
