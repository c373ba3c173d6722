"""What the material demands: sentences that oblige, limit or forbid, and whether a text takes one up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .request import Request
from .words import stems_of

_DEMAND = re.compile(
    r"\b(?:must|may (?:not|only)|cannot|needs? (?:a|an|to)|at most|at least|not more than|until|within|up to|valid for|"
    r"only be)\b",
    re.I,
)
_ORDER = re.compile(r"^(?:Propose|Say|Describe|Write|Show|Give|Name|Explain|Design|Make|List|Tell)\b")
_SAID = 0.75


def is_order(sentence: str) -> bool:
    """Whether a sentence only tells the author what to write."""
    return bool(_ORDER.match(sentence))


def demands(request: Request) -> list[str]:
    """The demands of the brief, then those of the inputs; none twice."""
    units = (*request.brief_units, *request.units)
    sentences = [sentence for unit in units if unit.kind != "table" for sentence in unit.sentences]
    return list(dict.fromkeys(s for s in sentences if _DEMAND.search(s) and not is_order(s)))


def taken_up(demand: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts says nearly all that a demand says."""
    wanted = stems_of(demand)
    return not wanted or any(len(wanted & stems_of(text)) >= _SAID * len(wanted) for text in texts)


def missing(request: Request, texts: Sequence[str]) -> list[str]:
    """The demands that no text takes up."""
    said = [sentence for text in texts for sentence in text.splitlines() if sentence.strip()]
    return [demand for demand in demands(request) if not taken_up(demand, said)]
