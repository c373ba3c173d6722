"""What of a file is no text: pictures that stand alone, and formulas. Changes of them are told, and not taken over."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stemma_contracts.v1.returned import ReturnedObject
from stemma_ooxml.word import Left, Paragraph, Picture, fingerprint


class Placed(NamedTuple):
    """A picture between two pieces of prose of its section; -1 stands for none."""

    before: int
    behind: int
    description: str = ""
    look: str = ""


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
        looks = " ".join(one.look for one in self.pictures)
        return {"pictures": pictures, "looks": looks, "formulas": fingerprint(self.formulas)}


def objects_in(paragraphs: Iterable[tuple[int | None, Sequence[int], Paragraph]]) -> dict[int, Objects]:
    """The objects of each section; a paragraph comes with its section and the pieces of prose that it is."""
    found, waiting = dict[int, Objects](), list[tuple[int, int, Picture]]()
    last: tuple[int | None, int] = (None, -1)
    for section, units, paragraph in paragraphs:
        if section is None or paragraph.note:
            continue
        if units:
            _close(found, waiting, section, units[0])
            last = section, units[-1]
            found.setdefault(section, Objects()).units.update(units)
        if last[0] == section:
            found[section].formulas += paragraph.formulas
            waiting += ((section, last[1], picture) for picture in paragraph.pictures)
    _close(found, waiting, None, -1)
    return found


def _close(found: dict[int, Objects], waiting: list[tuple[int, int, Picture]], section: int | None, unit: int) -> None:
    for place, before, picture in waiting:
        found[place].pictures.append(Placed(before, unit if place == section else -1, *picture))
    waiting.clear()


def changed_objects(left: Left, now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    """What people did to the objects of a section, as far as the file says how they left."""
    if left.pictures is not None:
        looks = left.looks if len(left.looks) == len(left.pictures) else ("",) * len(left.pictures)
        there = [Placed(*place, look=look) for place, look in zip(left.pictures, looks, strict=True)]
        yield from _changed_pictures(there, now, prose)
    if left.formulas is not None and left.formulas != fingerprint(now.formulas):
        yield ReturnedObject(change="formulas_changed")


def _stays(one: Placed, other: Placed) -> bool:
    return _has_place(one, other) and one.look in ("", other.look)


def _is_elsewhere(one: Placed, other: Placed) -> bool:
    return one.look == other.look != ""


def _has_place(one: Placed, other: Placed) -> bool:
    return other.before == one.before or other.behind == one.behind >= 0


def _changed_pictures(left: Sequence[Placed], now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    there, gone = list(now.pictures), list(left)
    _paired(gone, there, _stays)
    for one in _paired(gone, there, _is_elsewhere):
        yield ReturnedObject(change="picture_moved", about=_about(one, prose))
    for one in _paired(gone, there, _has_place):
        yield ReturnedObject(change="picture_replaced", about=_about(one, prose))
    for one in gone:
        # With its caption it is gone by an edit.
        if one.behind in now.units or one.behind < 0:
            yield ReturnedObject(change="picture_gone", about=_about(one, prose))
    yield from (ReturnedObject(change="picture_added", about=one.description[:200]) for one in there)


def _paired(old: list[Placed], new: list[Placed], fits: Callable[[Placed, Placed], bool]) -> list[Placed]:
    """Take those that fit from both lists; the old ones of them."""
    found = list[Placed]()
    for one in list(old):
        if (other := next((other for other in new if fits(one, other)), None)) is not None:
            old.remove(one)
            new.remove(other)
            found.append(one)
    return found


def _about(picture: Placed, prose: Sequence[str]) -> str:
    beside = next((unit for unit in (picture.behind, picture.before) if 0 <= unit < len(prose)), None)
    return "" if beside is None else prose[beside][:200]
