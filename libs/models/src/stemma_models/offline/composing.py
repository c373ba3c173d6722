"""A section composed from its share of the material."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .costs import currency_of, find_costs, sum_sentence
from .figures import figure, image_words, place_of, shown_here
from .guidance import answer_guidance
from .headings import headings_for
from .material import Place
from .phrases import (
    dates_run,
    in_sentence,
    nothing_about,
    opening,
    resting_on,
    resting_on_several,
    shown_in,
    source_name,
    thin,
    to_be_reached,
)
from .plain import safe
from .recap import goals, recap, span_of_dates, telling_terms
from .request import SEARCH_RESULTS, Image, Request
from .selection import Group, Selection, select
from .words import content_stems
from .writing import Pen


@dataclass
class Part:
    """A stretch of a section under its own heading."""

    heading: str
    body: list[str]
    group: Group | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(self.body)

    @property
    def source(self) -> str:
        return self.group.source if self.group and self.group.source != SEARCH_RESULTS else ""


@dataclass
class Composition:
    """A section: opening paragraphs, then parts."""

    title: str
    lead: list[str]
    parts: list[Part] = field(default_factory=list)

    @property
    def summary(self) -> str:
        return "\n\n".join(self.lead)

    @property
    def markdown(self) -> str:
        blocks = [f"# {safe(self.title)}", *self.lead]
        for part in self.parts:
            blocks += [f"## {safe(part.heading)}", *part.body]
        return "\n\n".join(blocks) + "\n"


def compose(request: Request, selection: Selection | None = None, *, cites: bool = True) -> Composition:
    """The section that a request asks for; ``cites`` says whether paragraphs name their source."""
    selection = selection or select(request)
    composition = Composition(request.section.title, _lead(request, selection), _parts(request, selection, cites=cites))
    _place_images(request, composition)
    return composition


def _lead(request: Request, selection: Selection) -> list[str]:
    paragraphs = [safe(" ".join(unit.sentences)) for unit in selection.opening]
    paragraphs += _promise(request)
    said = [*_opening(request, selection), *_resting(request)]
    if not selection.groups and len(request.upstream) < 2:
        said.append(thin(request.section.title, request.position))
    paragraphs += [safe(" ".join(said))] if said else []
    return paragraphs + (answer_guidance(request) if request.guidance else [])


def _opening(request: Request, selection: Selection) -> list[str]:
    section = request.section
    files = dict.fromkeys(group.source for group in selection.groups)
    sources = [source_name(name) if name else "the brief" for name in files if name != SEARCH_RESULTS]
    if selection.opening or not sources or len(request.upstream) > 1:
        return []
    return [opening(section.nature, section.title, request.position, sources)]


def _promise(request: Request) -> list[str]:
    """What the whole is for, at its end."""
    wanted = goals(request) if request.section.nature == "conclusion" else []
    return [safe(to_be_reached([request.lexicon.lowered(goal) for goal in wanted]))] if wanted else []


def _resting(request: Request) -> list[str]:
    title = request.section.title
    if len(request.upstream) > 1:
        return [resting_on_several([upstream.title for upstream in request.upstream])]
    named = [(upstream.title, telling_terms(upstream, request)) for upstream in request.upstream]
    nature, position = request.section.nature, request.position
    said = [resting_on(nature, title, position, name, terms) for name, terms in named if terms]
    return [sentence for sentence in said if sentence]


def _parts(request: Request, selection: Selection, *, cites: bool) -> list[Part]:
    headings = headings_for(selection.groups, request)
    parts = [
        Part(heading, _pen(request, index, heading, cites=cites).write(group.units), group)
        for index, (heading, group) in enumerate(zip(headings, selection.groups, strict=True))
    ]
    _add_sum(request, parts)
    _add_span(request, parts)
    if case := recap(request):
        parts.insert(0, Part(*case))
    present = {part.heading.lower() for part in parts}
    missing = [name for name in request.headings if name.lower() not in present]
    parts += [Part(name, [safe(nothing_about(name, request.position))]) for name in missing]
    return _in_order(parts, request.headings)


def _add_sum(request: Request, parts: Sequence[Part]) -> None:
    """Under a table of costs that has no total of its own, the sum of its items."""
    if request.section.nature != "budget":
        return
    for part in parts:
        table = find_costs(part.group.units) if part.group else None
        if table and not table.has_total:
            part.body.append(safe(sum_sentence(table, currency_of([table.unit.text, part.text]))))


def _add_span(request: Request, parts: Sequence[Part]) -> None:
    """Before a calendar, from when to when it goes."""
    spans = [(part, span) for part in parts if (span := span_of_dates(part.text))]
    if spans and request.section.nature == "timeline":
        part, span = spans[0]
        part.body.insert(0, safe(dates_run(*span)))


def _pen(request: Request, index: int, heading: str, *, cites: bool) -> Pen:
    return Pen(request.position * 3 + index, heading, request.lexicon, cites)


def _in_order(parts: Sequence[Part], required: Sequence[str]) -> list[Part]:
    """Required headings come in the order in which they were asked for; the others stay where they are."""
    rank = {name.lower(): place for place, name in enumerate(required)}
    wanted = (part for part in parts if part.heading.lower() in rank)
    queue = iter(sorted(wanted, key=lambda part: rank[part.heading.lower()]))
    return [next(queue) if part.heading.lower() in rank else part for part in parts]


def _place_images(request: Request, composition: Composition) -> None:
    for image in shown_here(request):
        place = place_of(image, request)
        part = _part_for(image, place, composition.parts)
        words = image_words(image, place)
        if part is None and place and place.headings[-1]:
            part = Part(
                place.headings[-1], [safe(shown_in(source_name(place.source), in_sentence(words, request.lexicon)))]
            )
            composition.parts.append(part)
        (part.body if part else composition.lead).append(figure(image, words))


def _part_for(image: Image, place: Place | None, parts: Sequence[Part]) -> Part | None:
    if place and (beside := place.beside):
        near = (beside.source, beside.order)
        here = [part for part in parts if part.group and near in {(u.source, u.order) for u in part.group.units}]
        if here:
            return here[0]
    if place and place.headings[-1]:
        return next((part for part in parts if part.heading == place.headings[-1]), None)
    stems = set(content_stems(image_words(image, None)))
    return max(parts, key=lambda part: len(stems & set(content_stems(part.text))), default=None)
