"""The document as PDF: pandoc writes Typst, Typst sets the pages and says where each heading stands."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import pairwise
from pathlib import Path
from typing import Any

from babel import Locale
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_confinement import Limits

from .assembly import Manuscript
from .chapters import DEPTH, numbers
from .layout import staged, with_pages
from .pandoc import ConversionError, Pandoc, run_confined
from .tree import Node, attributes, node, plain, rewrite

# Behind the text, so that a template of a house needs to know nothing of it; a mark takes no room on the page.
_LABEL = "<stemma-places>"
_PLACES = """
#context {
  let place(at) = {
    let here = at.position()
    (page: here.page, height: here.y.pt())
  }
  let headings = query(heading.where(outlined: true))
  [#metadata((
    headings: headings.map(it => (level: it.level, ..place(it.location()))),
    end: place(here()),
    page_height: page.height.pt(),
  )) LABEL]
}
""".replace("LABEL", _LABEL)


class Place(BaseModel):
    """A place in the PDF: its page, counted from 1, and how far down it is, in points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: int = Field(ge=1)
    height: float


class Heading(Place):
    level: int = Field(ge=1)


class Places(BaseModel):
    """Where the headings of a document stand, in their order, and where its text ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    headings: tuple[Heading, ...]
    end: Place
    page_height: float = Field(gt=0, description="points")


class _Written(BaseModel):
    places: Places
    missing: str


@dataclass(frozen=True)
class Pages:
    pdf: bytes
    places: Places
    missing: str = ""

    def of_headings(self) -> tuple[int, ...]:
        return tuple(heading.page for heading in self.places.headings)

    def lengths(self) -> tuple[float, ...]:
        """How many pages long each section is, from its heading to the next one's: 1.5 with the margins counted."""
        starts = [heading for heading in self.places.headings if heading.level == 1]
        lengths = (
            end.page - start.page + (end.height - start.height) / self.places.page_height
            for start, end in pairwise([*starts, self.places.end])
        )
        return tuple(round(max(0.0, length), 2) for length in lengths)


async def set_pages(folder: Path, limits: Limits, created: int, fonts: Sequence[Path] = ()) -> Pages:
    """Set ``main.typ`` in ``folder`` as PDF, dated ``created`` (Unix time); raises `ConversionError`.

    ``fonts`` are folders with fonts beside those that the typesetter has.
    """
    _refuse_symlinks(folder)
    source = folder / "main.typ"
    source.write_text(source.read_text(encoding="utf-8") + _PLACES, encoding="utf-8")
    command: tuple[str | Path, ...] = (
        sys.executable,
        "-I",
        "-m",
        "stemma_converter.typesetting",
        str(created),
        _LABEL,
        *fonts,
    )
    # Typst maps its fonts and a stack for each thread: address space is more than memory used.
    roomy = replace(limits, memory_mb=limits.memory_mb * 4)
    output = await run_confined("typesetting", command, b"", folder=folder, limits=roomy, address_space=True)
    try:
        written = _Written.model_validate_json(output)
    except ValidationError:
        raise ConversionError("typesetting_failed", "typesetting") from None
    return Pages((folder / "main.pdf").read_bytes(), written.places, written.missing)


def _refuse_symlinks(folder: Path) -> None:
    """Typst keeps to its folder, but follows links in it."""
    if any(path.is_symlink() for path in folder.rglob("*")):
        raise ConversionError("symlink")


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


async def to_pages(manuscript: Manuscript, pandoc: Pandoc, config: Path, fonts: Sequence[Path]) -> Pages:
    """Pages with contents, numbered headings and captions; the same bytes for the same manuscript."""
    async with staged(manuscript, attributes("", "notice", **_LOOK)) as (folder, blocks):
        prepared = for_typst(with_pages(rewrite(blocks, _with_header_look), "typst", _page_of))
        options = ("--template", config / "document.typ", "--wrap=none", "--syntax-highlighting=idiomatic")
        (folder / "main.typ").write_bytes(await pandoc.write("typst", prepared, folder=folder, options=options))
        facts = json.dumps({**_facts(manuscript), "headings": list(_headings(blocks))}, ensure_ascii=False)
        (folder / "facts.json").write_text(facts, encoding="utf-8")
        return await set_pages(folder, pandoc.limits, int(manuscript.created_at.timestamp()), fonts)


def _page_of(name: str) -> str:
    return f"#context counter(page).at(label({json.dumps(name)})).first()"


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
