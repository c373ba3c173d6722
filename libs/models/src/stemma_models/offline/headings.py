"""Headings for the groups of a section."""

from __future__ import annotations

from collections.abc import Sequence

from .allocation import heading_owners
from .phrases import capital, source_name
from .request import Request
from .selection import Group
from .vocabulary import fits, is_specific


def headings_for(groups: Sequence[Group], request: Request) -> list[str]:
    """A heading for every group: required ones where they fit best, then those of the documents."""
    chosen = _required(groups, request)
    taken = {request.section.title.lower(), *(name.lower() for name in request.headings)}
    owners = heading_owners((*request.brief_units, *request.units), request.outline)
    for index, group in enumerate(groups):
        if index not in chosen:
            owned = owners.get((group.source, group.heading)) == request.section.id
            own = group.heading if owned and not _is_opening(group.heading, request) else ""
            chosen[index] = _free(own, group, request, taken)
            taken.add(chosen[index].lower())
    return [chosen[index] for index in range(len(groups))]


def _is_opening(heading: str, request: Request) -> bool:
    """Whether a heading says only that something begins."""
    return heading == title_of_brief(request) or heading.lower() in ("introduction", "overview", "summary")


def title_of_brief(request: Request) -> str:
    """The heading that the brief begins under: a title of the document, not of a part."""
    return request.brief_units[0].heading if request.brief_units else ""


def _required(groups: Sequence[Group], request: Request) -> dict[int, str]:
    chosen: dict[int, str] = {}
    for name in request.headings:
        free = [index for index in range(len(groups)) if index not in chosen]
        best = max(free, key=lambda index: _fit(name, groups[index]), default=None)
        if best is not None and (_fit(name, groups[best]) > 0 or not is_specific(name)):
            chosen[best] = name
    return chosen


def _fit(name: str, group: Group) -> float:
    tables = 1.3 if any(unit.table for unit in group.units) else 1.0
    return tables * fits(name, f"{f'{group.heading} ' * 4}{group.text}")


def _free(own: str, group: Group, request: Request, taken: set[str]) -> str:
    terms = request.lexicon.terms([group.text], 3)
    of_document = "" if _is_opening(group.heading, request) else group.heading
    names = [own, *(capital(term) for term in terms if " " in term), of_document]
    names += [f"From {source_name(group.source)}" if group.source else "", *map(capital, terms)]
    names.append(request.section.title)
    names += [f"{request.section.title}, continued {number}" for number in range(1, len(taken) + 2)]
    return next(name for name in names if name and name.lower() not in taken)
