"""What of a file is no text: pictures, and formulas. Changes of them are told, and not taken over."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
    among: list[str] = field(default_factory=list)
    """The descriptions of pictures that stand among words."""
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
            found[section].among += (description for _, description in paragraph.among)
            waiting += ((section, last[1], picture) for picture in paragraph.pictures)
    _close(found, waiting, None, -1)
    return found


def _close(found: dict[int, Objects], waiting: list[tuple[int, int, Picture]], section: int | None, unit: int) -> None:
    for place, before, picture in waiting:
        found[place].pictures.append(Placed(before, unit if place == section else -1, *picture))
    waiting.clear()


def without_new(paragraph: Paragraph, known: Collection[str]) -> Paragraph:
    """A paragraph with only those pictures among its words that nobody knew, and without their descriptions.

    ``known`` are the descriptions that drafts have, as `letters`.
    """
    if not paragraph.among:
        return paragraph
    is_intact = any(mark.text == fingerprint(paragraph.text) for mark in paragraph.marks)
    new = () if is_intact else tuple(one for one in paragraph.among if letters(one[1]) not in known)
    kept, at = list[str](), 0
    for start, description in new:
        kept.append(paragraph.text[at:start])
        at = start + len(description)
    return replace(paragraph, text="".join([*kept, paragraph.text[at:]]), among=new)


def letters(description: str) -> str:
    """A description as it counts: programs change its marks."""
    return "".join(filter(str.isalnum, description.casefold()))


def changed_objects(left: Left, now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    """What people did to the objects of a section, as far as the file says how they left."""
    if left.pictures is not None:
        looks = left.looks if len(left.looks) == len(left.pictures) else ("",) * len(left.pictures)
        there = [Placed(*place, look=look) for place, look in zip(left.pictures, looks, strict=True)]
        yield from _changed_pictures(there, now, prose)
    yield from (ReturnedObject(change="picture_added", about=one[:200]) for one in now.among)
    if left.formulas is not None and left.formulas != fingerprint(now.formulas):
        yield ReturnedObject(change="formulas_changed")


_Key = tuple[str | int, ...]


def _places(one: Placed) -> list[_Key]:
    return [("before", one.before), *([("behind", one.behind)] if one.behind >= 0 else [])]


def _as_it_was(one: Placed) -> list[_Key]:
    return [(*place, one.look) for place in _places(one)]


def _look(one: Placed) -> list[_Key]:
    return [(one.look,)] if one.look else []


def _changed_pictures(left: Sequence[Placed], now: Objects, prose: Sequence[str]) -> Iterator[ReturnedObject]:
    there, gone = list(now.pictures), list(left)
    # An export may not say how its pictures look.
    _paired(gone, there, _as_it_was if all(one.look for one in gone) else _places)
    for one in _paired(gone, there, _look):
        yield ReturnedObject(change="picture_moved", about=_about(one, prose))
    for one in _paired(gone, there, _places):
        yield ReturnedObject(change="picture_replaced", about=_about(one, prose))
    for one in gone:
        # With its caption it is gone by an edit.
        if one.behind in now.units or one.behind < 0:
            yield ReturnedObject(change="picture_gone", about=_about(one, prose))
    yield from (ReturnedObject(change="picture_added", about=one.description[:200]) for one in there)


def _paired(old: list[Placed], new: list[Placed], keys: Callable[[Placed], list[_Key]]) -> list[Placed]:
    """Take those with a key in common from both lists; the old ones of them."""
    free, taken = defaultdict[_Key, deque[int]](deque), set[int]()
    for number, other in enumerate(new):
        for key in keys(other):
            free[key].append(number)
    found, rest = list[Placed](), list[Placed]()
    for one in old:
        for numbers in (waiting := [free[key] for key in keys(one)]):
            while numbers and numbers[0] in taken:
                numbers.popleft()
        first = min((numbers[0] for numbers in waiting if numbers), default=None)
        if first is not None:
            taken.add(first)
        (rest if first is None else found).append(one)
    old[:], new[:] = rest, [other for number, other in enumerate(new) if number not in taken]
    return found


def _about(picture: Placed, prose: Sequence[str]) -> str:
    beside = next((unit for unit in (picture.behind, picture.before) if 0 <= unit < len(prose)), None)
    return "" if beside is None else prose[beside][:200]
