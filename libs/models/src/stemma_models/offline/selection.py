"""What of its share of the material a section uses, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .allocation import Outline, affinities, owner, share_out
from .figures import owner_by_unit, place_of, shown_here
from .guidance import Wishes, read_wishes
from .material import Unit
from .procedure import is_instruction, is_procedure
from .request import Request, Upstream
from .sentences import split_sentences
from .vocabulary import fits, is_specific
from .worth import worth

_WORDS_BY_NATURE = {
    "research": 520,
    "solution": 620,
    "conclusion": 260,
    "timeline": 340,
    "budget": 440,
    "executive_summary": 220,
}
_USUAL_WORDS = 420
MOST_GROUPS = 5
_GROUP_WORDS = 190
_LEAST_PULL = 0.3
_LEAST_QUOTED = 0.5
_NEARLY = 0.9
_THIN = 120


@dataclass(frozen=True)
class Group:
    """Units of one document under one heading, in their order there."""

    heading: str
    source: str
    units: tuple[Unit, ...]

    @property
    def text(self) -> str:
        return " ".join(unit.text for unit in self.units)


@dataclass(frozen=True)
class Selection:
    """The paragraphs of the brief that open a section, and the groups of units that follow."""

    opening: tuple[Unit, ...]
    groups: tuple[Group, ...]

    @property
    def texts(self) -> list[str]:
        return [*(unit.text for unit in self.opening), *(group.text for group in self.groups)]


def select(request: Request) -> Selection:
    """The best of the material that belongs to the section, within a readable length."""
    known = _sentences_of(request.upstream)
    wishes = read_wishes(request.guidance)
    share = share_brief(request.brief_units, request.outline)[request.section.id]
    brief = _faultless(_usable(share, known, wishes), request)
    inputs = _faultless(_usable(() if _closes_an_offer(request) else share_of(request), known, wishes), request)
    opening = tuple(_opening(brief, request))
    rest = [unit for unit in (*brief, *inputs) if unit not in opening]
    return Selection(opening, _groups(_best(rest, request), request))


def _faultless(units: Sequence[Unit], request: Request) -> list[Unit]:
    """The units without the words that a checker found fault with in the last draft."""
    lines = request.faulty_lines
    kept = [
        replace(unit, sentences=tuple(text for text in unit.sentences if not _stands_in(text, lines)))
        if lines
        else unit
        for unit in units
    ]
    return [u for u in kept if u.sentences or (u.table and not any(_stands_in(row[0], lines) for row in u.table.rows))]


def _stands_in(text: str, lines: Iterable[str]) -> bool:
    words = text.rstrip(" .,;:").casefold()
    return bool(words) and any(words in line.casefold() for line in lines)


def _closes_an_offer(request: Request) -> bool:
    """Whether the section sums up an offer: then nothing new of what the client wrote belongs there."""
    return request.material.of_tender and request.section.nature in ("conclusion", "executive_summary")


def _opening(brief: Sequence[Unit], request: Request) -> list[Unit]:
    """What the brief says under its title, else the first paragraph that this section gets of it."""
    wanted = [name for name in request.headings if is_specific(name)]
    paragraphs = [
        unit for unit in brief if unit.kind == "paragraph" and not any(fits(name, unit.text) for name in wanted)
    ]
    titled = [unit for unit in paragraphs if unit.heading == request.brief_units[0].heading]
    return titled[:2] or paragraphs[:1]


def share_of(request: Request) -> list[Unit]:
    """The units of the inputs that belong to the section; one beside an image goes where the image goes."""
    return share_out(request.units, request.outline, owner_by_unit(request))[request.section.id]


@lru_cache(maxsize=16)
def share_brief(units: tuple[Unit, ...], outline: Outline) -> dict[str, list[Unit]]:
    """The units of the brief by section; one without any gets what fits it nearly as well as its owner."""
    shares = share_out(units, outline)
    for place, entry in enumerate(outline):
        spare = max(shares.values(), key=len)
        if not shares[entry.id] and len(spare) > 1:
            best = max(spare, key=lambda unit: affinities(unit, outline)[place] - max(affinities(unit, outline)))
            pull = affinities(best, outline)[place]
            if pull >= max(_LEAST_PULL, _NEARLY * max(affinities(best, outline))):
                spare.remove(best)
                shares[entry.id].append(best)
    return shares


def _sentences_of(upstream: Iterable[Upstream]) -> frozenset[str]:
    return frozenset(sentence for section in upstream for sentence in split_sentences(section.text))


def _usable(units: Iterable[Unit], known: frozenset[str], wishes: Wishes) -> list[Unit]:
    fit = ((unit, _without(unit, known, wishes)) for unit in units)
    return [kept for unit, kept in fit if kept.table or (kept.sentences and _holds_together(unit, kept))]


def _holds_together(unit: Unit, kept: Unit) -> bool:
    """Whether enough is left of a paragraph to make sense; the items of a list stand by themselves."""
    return len(kept.sentences) > 1 if unit.kind == "list" else 2 * len(kept.text) > len(unit.text)


def _without(unit: Unit, known: frozenset[str], wishes: Wishes) -> Unit:
    fresh = (text for text in unit.sentences if text not in known and not wishes.excludes(text))
    unfit = is_procedure if unit.source else is_instruction
    kept = tuple(text for text in fresh if not unfit(text))
    lead = "" if unfit(unit.lead) else unit.lead
    return unit if kept == unit.sentences and lead == unit.lead else replace(unit, sentences=kept, lead=lead)


def _best(units: Sequence[Unit], request: Request) -> list[Unit]:
    pictured = _pictured(request)
    worths = {unit: worth(unit, request) for unit in units}
    rest = [unit for unit in units if _place(unit) not in pictured]
    ranked = sorted(rest, key=lambda unit: (-worths[unit], unit.source, unit.order))
    room = _WORDS_BY_NATURE.get(request.section.nature, _USUAL_WORDS)
    room = room // 2 if read_wishes(request.guidance).shorter else room
    taken = [unit for unit in units if _place(unit) in pictured]
    used = sum(min(len(unit.text.split()), _GROUP_WORDS) for unit in taken) // 2
    for unit in ranked:
        size = min(len(unit.text.split()), _GROUP_WORDS)
        strong = min(worths[unit], owner(unit, request.outline)[1]) >= (_LEAST_QUOTED if unit.quoted else _LEAST_PULL)
        if not taken or (used + size <= room and (strong or used < _THIN)):
            taken.append(unit)
            used += size
    return taken


def _pictured(request: Request) -> set[tuple[str, int]]:
    """The units that are shown in this section because an image stands beside them."""
    beside = (place.beside for image in shown_here(request) if (place := place_of(image, request)))
    return {_place(unit) for unit in beside if unit}


def _place(unit: Unit) -> tuple[str, int]:
    return unit.source, unit.order


def _groups(units: Sequence[Unit], request: Request) -> tuple[Group, ...]:
    together: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        together.setdefault((unit.source, unit.heading), []).append(unit)
    best = list(together.items())[: max(MOST_GROUPS, len(request.headings)) + len(shown_here(request)) // 2]
    files = {"": -1}
    for place, (name, _) in enumerate(request.inputs):
        files.setdefault(name, place)
    best.sort(key=lambda item: (files.get(item[0][0], 0), min(unit.order for unit in item[1])))
    return tuple(
        Group(heading, source, tuple(sorted(units, key=lambda unit: unit.order))) for (source, heading), units in best
    )


def drawn(selection: Selection, pattern: re.Pattern[str], longest: int) -> tuple[Selection, list[str]]:
    """The selection without the sentences that fit a pattern, and those sentences."""
    taken: list[str] = []
    groups = []
    for group in selection.groups:
        units = []
        for unit in group.units:
            fit = [text for text in unit.sentences if pattern.search(text) and len(text) <= longest]
            taken += fit
            units.append(replace(unit, sentences=tuple(text for text in unit.sentences if text not in fit)))
        groups.append(replace(group, units=tuple(unit for unit in units if unit.sentences or unit.table)))
    return replace(selection, groups=tuple(group for group in groups if group.units)), taken


def without_unit(selection: Selection, unit: Unit) -> Selection:
    """The selection without one unit."""
    groups = (
        replace(group, units=tuple(other for other in group.units if other != unit)) for group in selection.groups
    )
    return replace(selection, groups=tuple(group for group in groups if group.units))
