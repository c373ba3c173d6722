"""The choice for a section, arranged: by required heading, by file and heading, each with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stemma_languages import language as language_of

from . import markdown
from .choosing import Choice, Stray, choose, wanted_of
from .gathering import gather
from .material import Passage, Place, Table
from .request import Image, Request
from .terms import best, terms

ENOUGH_TO_PART = 6
"""Paragraphs under one heading that are parted by the headings of their sources."""


@dataclass(frozen=True)
class Part:
    """A required heading, or none, and the blocks below it."""

    heading: str
    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        """The blocks as one text."""
        return "\n\n".join(self.blocks)


@dataclass(frozen=True)
class Composition:
    """The text of a section without its title."""

    lead: tuple[str, ...]
    parts: tuple[Part, ...]


def compose(request: Request) -> Composition:
    """What the material of a request says on its section."""
    choice = choose(request, gather(request))
    lead, rest = _parted(choice.passages)
    if not request.headings:
        return Composition(_blocks(request, (*lead, *rest), choice, nested="##"), ())
    if not rest and not choice.tables:
        lead, rest = (), lead
    shares = _shares(request, rest, choice)
    parts = [Part(name, _blocks(request, *share)) for name, share in zip(request.headings, shares, strict=True)]
    return Composition(tuple(_paragraphs(request, lead)), tuple(parts))


def as_markdown(request: Request, composition: Composition) -> str:
    """The section with its title."""
    title = [f"# {markdown.heading(request.section.title)}"] if request.section.title else []
    blocks = [*title, *composition.lead]
    for part in composition.parts:
        blocks += [f"## {part.heading}", *part.blocks]
    return "\n\n".join(blocks) + "\n"


def _parted(passages: Sequence[Passage]) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """What the client and a person say of it, which comes first, and what the files say."""
    lead = tuple(passage for passage in passages if passage.place.origin in ("person", "brief"))
    return lead, tuple(passage for passage in passages if passage.place.origin not in ("person", "brief"))


def _shares(request: Request, passages: Sequence[Passage], choice: Choice) -> list[tuple[tuple[Passage, ...], Choice]]:
    """What goes under each required heading: what it names of the collected things, what it is nearest to."""
    under = [_heading_of(passage.text, passage.place, wanted_of(passage, request), request) for passage in passages]
    tables = [_heading_of(" ".join(table.head), table.place, request.collects, request) for table in choice.tables]
    strays = {kind: _heading_of("", None, frozenset({kind}), request) for kind in choice.strays}
    images = [_heading_of(image.alt, None, frozenset(), request) for image in choice.images]
    return [
        (
            tuple(passage for passage, place in zip(passages, under, strict=True) if place == at),
            Choice(
                (),
                tuple(table for table, place in zip(choice.tables, tables, strict=True) if place == at),
                {kind: found for kind, found in choice.strays.items() if strays[kind] == at},
                tuple(image for image, place in zip(choice.images, images, strict=True) if place == at),
            ),
        )
        for at in range(len(request.headings))
    ]


def _heading_of(text: str, place: Place | None, kinds: Iterable[str], request: Request) -> int:
    named = [terms(heading, request.language) for heading in request.headings]
    words = language_of(request.language).words
    labels = {kind: terms(getattr(words, kind), request.language) for kind in request.collects}
    of_kind = [at for at, name in enumerate(named) for kind in kinds if set(labels[kind]) & set(name)]
    if of_kind:
        return of_kind[0]
    open_to_all = [at for at, name in enumerate(named) if not any(set(name) & set(label) for label in labels.values())]
    candidates = open_to_all or list(range(len(named)))
    found = best(
        terms(" ".join((text, *(place.headings if place else ()))), request.language), [named[at] for at in candidates]
    )
    return candidates[found or 0]


def _blocks(request: Request, passages: Sequence[Passage], choice: Choice, nested: str = "###") -> tuple[str, ...]:
    words = language_of(request.language).words
    by_kind = {kind: getattr(words, kind) for kind in choice.strays}
    return (
        *_paragraphs(request, passages, nested),
        *(_table(table, words.table) for table in choice.tables),
        *(
            markdown.table(
                by_kind[kind], (by_kind[kind], words.statement, words.sources), map(_stray, found), words.table
            )
            for kind, found in choice.strays.items()
        ),
        *map(_figure, choice.images),
    )


def _paragraphs(request: Request, passages: Sequence[Passage], nested: str = "") -> Iterator[str]:
    """Paragraphs and lists as they stand in the sources; many of them are parted by the headings there."""
    groups = [(place, list(group)) for place, group in groupby(passages, key=lambda passage: passage.place)]
    parted = nested and len(groups) > 1 and len({(p.place, p.paragraph) for p in passages}) >= ENOUGH_TO_PART
    used: set[str] = {heading.casefold() for heading in request.headings}
    for place, group in groups:
        title = markdown.heading(place.heading)
        if parted and title and title.casefold() not in used:
            used.add(title.casefold())
            yield f"{nested} {title}"
        yield from _runs(group, place, request.language)


def _runs(group: Sequence[Passage], place: Place, language: str) -> Iterator[str]:
    def by_block(passage: Passage) -> tuple[str, int]:
        return passage.form, 0 if passage.form == "item" else passage.paragraph

    for (form, _), run in groupby(group, key=by_block):
        if form == "item":
            items = groupby(run, key=lambda passage: passage.paragraph)
            joint = "" if language in markdown.NO_SPACES else " "
            yield markdown.bullets([joint.join(p.text for p in item) for _, item in items], place)
        else:
            yield markdown.paragraph([passage.text for passage in run], place, language)


def _table(table: Table, label: str) -> str:
    source = ", ".join(filter(None, (table.place.name, table.place.heading)))
    return markdown.table(source, table.head, table.rows, label)


def _stray(stray: Stray) -> tuple[str, str, str]:
    place = ", ".join(filter(None, (stray.place.name, stray.place.heading)))
    return stray.claim, stray.words, place


def _figure(image: Image) -> str:
    target = f"<{image.name}>" if any(char in image.name for char in " ()") else image.name
    return f"![{markdown.quoted(image.alt or image.name)}]({target})"
