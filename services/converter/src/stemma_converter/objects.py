"""What of a file is no text: pictures that stand alone, and formulas. Changes of them are told, and not taken over."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stemma_contracts.v1.returned import ReturnedObject
from stemma_ooxml.word import Left, Paragraph, fingerprint


class Placed(NamedTuple):
    """A picture between two pieces of prose of its section; -1 stands for none."""

    before: int
    behind: int
    description: str


@dataclass
class Objects:
    """The pictures and formulas of a section, and the pieces of prose of it that are there."""

    pictures: list[Placed] = field(default_factory=list)
    formulas: str = ""
    units: set[int] = field(default_factory=set)

    @property
    def said(self) -> dict[str, str]:
        """What a file says of them when it leaves."""
        pictures = " ".join(f"{one.before}/{one.behind}" for one in self.pictures)
        return {"pictures": pictures, "formulas": fingerprint(self.formulas)}


def objects_in(paragraphs: Iterable[tuple[int | None, Sequence[int], Paragraph]]) -> dict[int, Objects]:
    """The objects of each section; a paragraph comes with its section and the pieces of prose that it is."""
    found, open_ones = dict[int, Objects](), list[tuple[int, int, str]]()
    last: tuple[int | None, int] = (None, -1)
    for section, units, paragraph in paragraphs:
        if section is None or paragraph.note:
            continue
        if units:
            _close(found, open_ones, section, units[0])
            last = section, units[-1]
            found.setdefault(section, Objects()).units.update(units)
        if last[0] == section:
            found[section].formulas += paragraph.formulas
            open_ones += ((section, last[1], description) for description in paragraph.pictures)
    _close(found, open_ones, None, -1)
    return found


def _close(found: dict[int, Objects], open_ones: list[tuple[int, int, str]], section: int | None, unit: int) -> None:
    for place, before, description in open_ones:
        found[place].pictures.append(Placed(before, unit if place == section else -1, description))
    open_ones.clear()


def changed_objects(left: Left, now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    """What people did to the objects of a section, as far as the file says how they left."""
    if left.pictures is not None:
        yield from _changed_pictures(left.pictures, now, prose)
    if left.formulas is not None and left.formulas != fingerprint(now.formulas):
        yield ReturnedObject(change="formulas_changed")


def _changed_pictures(left: Sequence[tuple[int, int]], now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    there = list(now.pictures)
    gone = list[tuple[int, int]]()
    for before, behind in left:
        same = [one for one in there if one.before == before or (one.behind == behind and behind >= 0)]
        if same:
            there.remove(same[0])
        elif behind in now.units or behind < 0:
            # With its caption it is gone by an edit.
            gone.append((before, behind))
    for before, behind in gone:
        about = prose[behind] if 0 <= behind < len(prose) else prose[before] if 0 <= before < len(prose) else ""
        yield ReturnedObject(change="picture_moved" if there else "picture_gone", about=about[:200])
        there = there[1:]
    yield from (ReturnedObject(change="picture_added", about=one.description[:200]) for one in there)
