"""What of its share of the material a section uses, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .allocation import Outline, affinities, is_procedure, owner, share_out
from .guidance import Wishes, read_wishes
from .material import Unit
from .request import Request, Upstream
from .sentences import split_sentences
from .vocabulary import fits, is_specific
from .worth import worth

_WORDS_BY_NATURE = {"research": 520, "conclusion": 260, "timeline": 340, "budget": 440, "executive_summary": 220}
_USUAL_WORDS = 420
MOST_GROUPS = 5
_GROUP_WORDS = 190
_LEAST_PULL = 0.3
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
    brief = _usable(share_brief(request.brief_units, request.outline)[request.section.id], known, wishes)
    inputs = _usable(shares_of(request.units, request.outline)[request.section.id], known, wishes)
    opening = tuple(_opening(brief, request))
    rest = [unit for unit in (*brief, *inputs) if unit not in opening]
    return Selection(opening, _groups(_best(rest, request), request))


def _opening(brief: Sequence[Unit], request: Request) -> list[Unit]:
    """What the brief says under its title, else the first paragraph that this section gets of it."""
    wanted = [name for name in request.headings if is_specific(name)]
    paragraphs = [
        unit for unit in brief if unit.kind == "paragraph" and not any(fits(name, unit.text) for name in wanted)
    ]
    titled = [unit for unit in paragraphs if unit.heading == request.brief_units[0].heading]
    return titled[:2] or paragraphs[:1]


@lru_cache(maxsize=16)
def shares_of(units: tuple[Unit, ...], outline: Outline) -> dict[str, list[Unit]]:
    return share_out(units, outline)


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
    kept = tuple(text for text in fresh if not is_procedure(text))
    lead = "" if is_procedure(unit.lead) else unit.lead
    return unit if kept == unit.sentences and lead == unit.lead else replace(unit, sentences=kept, lead=lead)


def _best(units: Sequence[Unit], request: Request) -> list[Unit]:
    shown = {request.unit_beside(image) for image in request.images}
    worths = {unit: worth(unit, request) + 0.5 * (unit in shown) for unit in units}
    ranked = sorted(units, key=lambda unit: (-worths[unit], unit.source, unit.order))
    room = _WORDS_BY_NATURE.get(request.section.nature, _USUAL_WORDS)
    room = room // 2 if read_wishes(request.guidance).shorter else room
    taken: list[Unit] = []
    used = 0
    for unit in ranked:
        size = min(len(unit.text.split()), _GROUP_WORDS)
        strong = min(worths[unit], owner(unit, request.outline)[1]) >= _LEAST_PULL
        if not taken or (used + size <= room and (strong or used < _THIN)):
            taken.append(unit)
            used += size
    return taken


def _groups(units: Sequence[Unit], request: Request) -> tuple[Group, ...]:
    together: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        together.setdefault((unit.source, unit.heading), []).append(unit)
    best = list(together.items())[: max(MOST_GROUPS, len(request.headings))]
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
