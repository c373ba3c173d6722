"""What can be quoted: sentences, list items and tables, each with the place that it is cited by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Literal, TypeAlias

Origin: TypeAlias = Literal["input", "brief", "upstream", "person"]
NO_SPACES = ("ja", "zh")
Form: TypeAlias = Literal["sentence", "item", "heading", "figure"]


@dataclass(frozen=True)
class Place:
    """A file, the brief or a section, its language and the headings above; what a person said has no name."""

    origin: Origin
    name: str
    language: str
    headings: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The heading that is nearest."""
        return self.headings[-1] if self.headings else ""


@dataclass(frozen=True)
class Passage:
    """What is quoted as a whole, in plain words: a sentence with those that lean on it, a list item, or a list.

    Those of one paragraph have the same number, neighbours have neighbouring positions. A list is its lead-in with
    ``items``, nested ones indented; an item of its own may stand ``under`` another one, which has that position. A
    ``heading`` is none of that: it is quoted for what it states only. A ``figure`` is Markdown.
    """

    text: str
    place: Place
    paragraph: int
    form: Form = "sentence"
    items: tuple[str, ...] = ()
    position: int = 0
    under: int = -1

    @property
    def lines(self) -> tuple[str, ...]:
        """Its text and its items."""
        return (self.text, *self.items)

    @cached_property
    def words(self) -> str:
        """All that stands in it."""
        return " ".join(self.lines)

    @cached_property
    def key(self) -> str:
        """What makes two passages the same one."""
        return fold(self.words)


@dataclass(frozen=True)
class Table:
    """Rows as wide as their head, and the line above it."""

    place: Place
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    @cached_property
    def words(self) -> str:
        """All that stands in it."""
        return "\n".join(" ".join(row) for row in (self.head, *self.rows))


def table_of(place: Place, rows: Iterable[Sequence[str]], caption: str = "") -> Iterator[Table]:
    """The table of rows, the first being its head, without columns that hold nothing; none if there is but a head."""
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    filled = [column for column in zip_longest(*cells, fillvalue="") if any(column[1:])]
    head, *body = zip(*filled, strict=True) if filled else [()]
    if body:
        yield Table(place, head, tuple(body), caption)


@dataclass(frozen=True)
class Material:
    """All that a section may be written from, in reading order."""

    passages: tuple[Passage, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: dict[str, tuple[Place, int]] = field(default_factory=dict)

    def __add__(self, other: Material) -> Material:
        return Material(
            (*self.passages, *other.passages), (*self.tables, *other.tables), {**other.pictures, **self.pictures}
        )


def gathered(parts: Iterable[Material]) -> Material:
    """One material out of several."""
    return sum(parts, Material())


def fold(text: str) -> str:
    """A text for comparison: letters and digits only, in one case."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def distinct(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages without those that say the same words again."""
    seen: set[str] = set()
    for passage in passages:
        if passage.key and passage.key not in seen:
            seen.add(passage.key)
            yield passage
