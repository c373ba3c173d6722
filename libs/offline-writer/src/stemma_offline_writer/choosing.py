"""What of the material stands in a section: what it collects, and what bears on it more than on any other section."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from .bearing import IN_FULL, claimed, kinds_of, kinds_of_row
from .material import Material, Passage, Place, Table, distinct, fold
from .request import Image, Request, Section
from .terms import Ranking, terms

PULLED = frozenset({"figures", "risks"})
"""What a section that collects it takes from other sections, too, as far as there is room."""
MOST_PASSAGES = 40
MOST_ROWS = 200
FALLBACK = 3
_KIND_OF_CLAIM = {"amounts": "amount", "dates": "date", "figures": "quantity"}


@dataclass(frozen=True)
class Stray:
    """A claim that stands in no sentence: its words, what it is said of, and where."""

    claim: str
    words: str
    place: Place


@dataclass(frozen=True)
class Choice:
    """What a section quotes, in reading order."""

    passages: tuple[Passage, ...]
    tables: tuple[Table, ...]
    strays: dict[str, tuple[Stray, ...]]
    images: tuple[Image, ...]


def choose(request: Request, material: Material) -> Choice:
    """The choice for the section of a request; the same for the same request."""
    bears = _Bearing(request)
    sentences = list(distinct(passage for passage in material.passages if passage.form != "heading"))
    chosen = _passages(request, bears, sentences)
    tables = tuple(table for whole in material.tables if (table := _rows(request, bears, whole)))
    strays = {kind: found for kind in sorted(request.collects) if (found := _strays(kind, request, material.passages))}
    if not tables and all(passage.place.origin == "person" for passage in chosen):
        chosen += bears.nearest([passage for passage in sentences if passage not in chosen])
    pictures = [(_described(image, material.pictures.get(image.name)), image) for image in request.images]
    images = tuple(shown for shown, image in pictures if bears.owns(image.alt, material.pictures.get(image.name)))
    return Choice(tuple(chosen), tables, strays, images)


def _described(image: Image, place: Place | None) -> Image:
    """The image; one that is called as its file is described by the heading that it stands under."""
    is_called_so = fold(image.alt) in ("", fold(PurePosixPath(image.name).stem))
    return Image(image.name, place.heading) if is_called_so and place and place.heading else image


def wanted_of(passage: Passage, request: Request) -> frozenset[str]:
    """What the section collects and the passage holds."""
    return kinds_of(passage.text, request.language) & request.collects


class _Bearing:
    """On which section of the outline a text bears most; on none counts as the first."""

    def __init__(self, request: Request) -> None:
        self._language = request.language
        self._ranking = _ranking(request.outline, request.language)
        self._own = next(at for at, entry in enumerate(request.outline) if entry.id == request.section.id)

    def scores(self, text: str, place: Place | None) -> list[float]:
        """How much a text bears on each section."""
        return self._ranking.scores(terms(" ".join((text, *(place.headings if place else ()))), self._language))

    def score(self, text: str, place: Place | None) -> float | None:
        """How much a text bears on this section; nothing if it bears more on another one."""
        scores = self.scores(text, place)
        return scores[self._own] if scores.index(max(scores)) == self._own else None

    def owns(self, text: str, place: Place | None) -> bool:
        """Whether a text bears most on this section."""
        return self.score(text, place) is not None

    def nearest(self, passages: Sequence[Passage]) -> list[Passage]:
        """The few passages that bear on this section, for one that has none of its own."""
        scored = [(self.scores(p.text, p.place)[self._own], -at, p) for at, p in enumerate(passages)]
        found = sorted(scored, key=lambda entry: entry[:2], reverse=True)[:FALLBACK]
        return [passage for *_, passage in sorted(found, key=lambda entry: -entry[1])]


@lru_cache(maxsize=64)
def _ranking(outline: tuple[Section, ...], language: str) -> Ranking:
    return Ranking(terms(f"{entry.title} {entry.purpose}", language) for entry in outline)


def _passages(request: Request, bears: _Bearing, passages: Sequence[Passage]) -> list[Passage]:
    always, others = set[int](), list[tuple[bool, float, int]]()
    for at, passage in enumerate(passages):
        wanted = wanted_of(passage, request)
        score = bears.score(passage.text, passage.place)
        if wanted & IN_FULL or passage.place.origin == "person":
            always.add(at)
        elif wanted & PULLED or score is not None:
            others.append((bool(wanted), score or 0.0, -at))
    kept = always | {-at for *_, at in sorted(others, reverse=True)[:MOST_PASSAGES]}
    return _within(request.most_words, [passages[at] for at in sorted(kept)], {passages[at].key for at in always})


def _within(most_words: int | None, passages: list[Passage], always: set[str]) -> list[Passage]:
    """The passages as far as a limit of words allows; what must be there is there in any case."""
    if most_words is None:
        return passages
    room = most_words - sum(_length(passage) for passage in passages if passage.key in always)
    kept = []
    for passage in passages:
        if passage.key not in always:
            room -= _length(passage)
            if room < 0:
                continue
        kept.append(passage)
    return kept


def _length(passage: Passage) -> int:
    words = passage.text.split()
    return sum(max(1, sum(char >= "\u3041" for char in word)) for word in words)


def _rows(request: Request, bears: _Bearing, whole: Table) -> Table | None:
    """The rows of a table that the section collects from, or all of them if the table bears on it most."""
    kinds = [kinds_of_row(whole, row, request.language) & request.collects for row in whole.rows]
    rows = [row for row, found in zip(whole.rows, kinds, strict=True) if found & IN_FULL]
    if bears.owns(f"{' '.join(whole.head)} {whole.words[:2000]}", whole.place):
        rows = list(dict.fromkeys([*rows, *whole.rows[:MOST_ROWS]]))
        rows.sort(key=whole.rows.index)
    return Table(whole.place, whole.head, tuple(rows)) if rows else None


def _strays(kind: str, request: Request, passages: Iterable[Passage]) -> tuple[Stray, ...]:
    """Claims of one kind in headings and in what an instruction names."""
    if kind not in IN_FULL:
        return ()
    return tuple(
        Stray(claim.text, passage.text, passage.place)
        for passage in passages
        if passage.form == "heading"
        for claim in claimed(passage.text, request.language)
        if claim.kind == _KIND_OF_CLAIM[kind]
    )
