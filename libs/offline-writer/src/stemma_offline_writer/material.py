"""What can be quoted: sentences, list items and tables, each with the place that it is cited by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

Origin: TypeAlias = Literal["input", "brief", "upstream", "person"]


@dataclass(frozen=True)
class Place:
    """A file, the brief or a section, and the headings above; what a person said has no name."""

    origin: Origin
    name: str
    headings: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The heading that is nearest."""
        return self.headings[-1] if self.headings else ""


@dataclass(frozen=True)
class Passage:
    """A sentence or a list item in plain words; those of one paragraph have the same number.

    A ``heading`` is no sentence: it is quoted for what it states only.
    """

    text: str
    place: Place
    paragraph: int
    form: Literal["sentence", "item", "heading"] = "sentence"

    @property
    def key(self) -> str:
        """What makes two passages the same one."""
        return fold(self.text)


@dataclass(frozen=True)
class Table:
    """Rows as wide as their head."""

    place: Place
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> str:
        """All that stands in it."""
        return "\n".join(" ".join(row) for row in (self.head, *self.rows))


@dataclass(frozen=True)
class Material:
    """All that a section may be written from, in reading order."""

    passages: tuple[Passage, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: dict[str, Place] = field(default_factory=dict)

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
