"""The documents of a call for offers as material of the offer: only what the work is about, in our voice."""

from __future__ import annotations

import re
from dataclasses import replace

from .material import Unit
from .procedure import is_formal, is_procedure
from .tables import Table
from .voice import in_our_voice, is_address, is_of_client, is_unresolved

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATED = re.compile(
    rf"(?P<what>[A-Z].{{5,120}}?)(?: conducted)?,? (?:on|by) "
    rf"(?P<date>(?:{_MONTHS}) \d[\d –-]*, \d{{4}})[,.;]?$"
)
_FEW = 2
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:identified|listed|described|shown|noted|laid out) (?:below|above|in section)\b"
    r"|\bthis section (?:describes|contains)\b|\bSECTION \d|\bfor details\b|\bcan be found\b",
    re.I,
)


def of_tender(unit: Unit) -> Unit | None:
    """A unit without rules of the tender; duties are said as ours, words of the client are marked as theirs."""
    if is_formal((*unit.above, unit.heading)):
        return None
    if any(map(is_of_client, (unit.lead, *unit.sentences))):
        lead, said, quoted = unit.lead, unit.sentences, True
    else:
        lead, said, quoted = in_our_voice(unit.lead), tuple(map(in_our_voice, unit.sentences)), False
    kept = tuple(filter(_is_usable, said))
    if not (kept or unit.table) or not _is_usable(lead):
        return None
    return _with_calendar(replace(unit, heading=_heading(unit), sentences=kept, lead=lead, quoted=quoted))


def _heading(unit: Unit) -> str:
    """The innermost heading that could stand in an offer."""
    fit = (heading for heading in (unit.heading, *reversed(unit.above)) if not is_of_client(heading))
    return next(fit, "")


def _with_calendar(unit: Unit) -> Unit:
    """A list of what happens on which date as a table of dates."""
    if unit.kind != "list":
        return unit
    dated = [(match["date"], match["what"]) for item in unit.sentences if (match := _DATED.match(item))]
    if len(dated) < _FEW:
        return unit
    return replace(unit, kind="table", sentences=(), lead="", table=Table(("Date", "Milestone"), tuple(dated)))


def _is_usable(sentence: str) -> bool:
    return not (
        is_procedure(sentence) or is_address(sentence) or is_unresolved(sentence) or _POINTS_ELSEWHERE.search(sentence)
    )
