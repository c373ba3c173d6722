"""What of the material stands in a section: what it collects, and what bears on it more than on any other section."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path, PurePosixPath

from stemma_evidence import Claim, claims, in_column
from stemma_languages import count_words, detect, only_lists

from .material import NO_SPACES, Material, Passage, Place, Table, distinct, fold
from .request import Image, Request, Section
from .terms import Ranking, nearest, terms

MOST_PASSAGES = 30
MOST_ROWS = 200
MOST_IMAGES = 6
FALLBACK = 3
LONG = 1200
"""Characters of a passage that is quoted where it bears most; elsewhere only what it states is told."""
LEAST_TERMS = 2
"""Of a section that a sentence must share to bear on it: one may be an accident."""
COLLECTED = 2.0
"""What it adds to the score of a passage that it holds what a section collects."""
HEADED = 2.0
"""What it adds that a heading above a passage speaks of what the section is about."""

_BY_NUMBER = re.compile(r"[a-z]{0,10}[-_ ]?\d+")
"""The name of a picture that says nothing of it."""


@dataclass(frozen=True)
class Choice:
    """What a section quotes, in reading order; ``spare`` is what it could quote besides."""

    passages: tuple[Passage, ...]
    tables: tuple[Table, ...]
    images: tuple[Image, ...]
    spare: tuple[Passage, ...] = ()


def choose(request: Request, material: Material) -> Choice:
    """The choice for the section of a request; the same for the same request."""
    bears = Bearing(request)
    told = {fold(p.text).lstrip("0123456789 ") for p in material.passages if p.form == "heading"}
    asked = {*map(fold, request.headings), *(fold(entry.title) for entry in request.outline)}
    sentences = [p for p in distinct(material.passages) if p.form != "heading" and not _only_lists(p, told, asked)]
    chosen = _passages(request, bears, sentences)
    chosen = _with_answers(request.requirements, chosen, sentences)
    tables = tuple(replace(t, rows=t.rows[:MOST_ROWS]) for t in material.tables if bears.takes_table(t))
    spare = tuple(p for p in sentences if p not in chosen and not wanted_of(p, request) & IN_FULL)
    images = tuple(islice(_images(request, bears, material), MOST_IMAGES))
    return Choice(tuple(chosen), tables, images, spare)


def _with_answers(requirements: Sequence[str], chosen: list[Passage], passages: list[Passage]) -> list[Passage]:
    """The chosen passages, in reading order, and of each demand the one that shares most of what it says."""
    found = {passage.key for passage in chosen}
    found |= {answer.key for words in requirements if (answer := _answer(words, passages)) is not None}
    return [passage for passage in passages if passage.key in found] if requirements else chosen


def _answer(words: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage that has most of the words of a demand, at least half of them; the demand itself is no answer."""
    demand = fold(words)
    others = [p for p in passages if p.key not in demand and demand not in p.key]
    found = nearest(terms(words, detect(words)), (terms(p.words, p.place.language) for p in others), LEAST_TERMS)
    return None if found is None else others[found]


def _only_lists(passage: Passage, headings: set[str], asked: set[str]) -> bool:
    """Whether a passage is an entry of a table of contents or of a bibliography, which no section is called."""
    is_entry = passage.form == "item" and fold(passage.text).lstrip("0123456789 ") in headings
    above = passage.place.heading
    return is_entry or (only_lists(above, passage.place.language) and fold(above) not in asked)


def speaking_of(about: str, language: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The few passages that speak of a thing that a text names, or share two of its words."""
    kinds, wanted = named_kinds(about, language), set(terms(about, language))

    def score(passage: Passage) -> int:
        tag = passage.place.language
        speaks = not kinds.isdisjoint(named_kinds(passage.words, tag)) and len(passage.words) <= LONG
        shared = len(wanted.intersection(terms(passage.words, tag)))
        return shared + LEAST_TERMS * speaks if speaks or shared >= LEAST_TERMS else 0

    return _few(passages, score)


def _few(passages: Sequence[Passage], score: Callable[[Passage], float]) -> tuple[Passage, ...]:
    """The few passages with the highest scores above 0, in reading order."""
    scored = [(score(passage), -at) for at, passage in enumerate(passages)]
    best = sorted((entry for entry in scored if entry[0] > 0), reverse=True)[:FALLBACK]
    return tuple(passages[at] for at in sorted(-at for _, at in best))


def wanted_of(passage: Passage, request: Request) -> frozenset[str]:
    """What the section collects and the passage holds."""
    return kinds_of(passage.words, passage.place.language) & request.section.collects


class Bearing:
    """On which section of the outline a text bears most; on none counts as the first."""

    def __init__(self, request: Request) -> None:
        self._language, self._outline = request.language, request.outline
        self._asked_in = detect(" ".join(entry.purpose for entry in request.outline))
        self._titles: dict[str, list[int]] = {}
        for at, entry in enumerate(request.outline):
            self._titles.setdefault(fold(entry.title), []).append(at)
        self._own = next(at for at, entry in enumerate(request.outline) if entry.id == request.section.id)

    def takes(self, text: str, place: Place, kinds: frozenset[str] | None = None, least: int = 1) -> float | None:
        """How much a text bears on this section, if it stands here: of the sections that collect such things, or of all
        if none does, it bears most on this one. With kinds given, those that collect others in full do not count.
        What stands below the title of a section stands in it."""
        scores = self._scores(text, place, kinds, least)
        titled = next(filter(None, (self._titles.get(fold(heading)) for heading in reversed(place.headings))), None)
        home = max(titled or self.collectors(kinds or frozenset()) or range(len(scores)), key=lambda at: scores[at])
        return scores[home] if home == self._own else None

    def takes_table(self, table: Table) -> bool:
        """Whether a table stands in this section."""
        kinds = frozenset[str]().union(*(kinds_of_row(table, row) for row in table.rows))
        return self.takes(f"{' '.join(table.head)} {table.words[:LONG]}", table.place, kinds) is not None

    def collectors(self, kinds: frozenset[str]) -> list[int]:
        """The sections that leave nothing out of such things."""
        return [at for at, entry in enumerate(self._outline) if entry.collects & kinds & IN_FULL]

    def _scores(self, text: str, place: Place, given: frozenset[str] | None, least: int) -> list[float]:
        ranking = _ranking(self._outline, self._language, place.language)
        # Words of a purpose are shared by its own language alone; what is left says what the section is about.
        least = least if place.language == self._asked_in else 1
        found = ranking.scores(terms(" ".join((text, *place.headings)), place.language), least)
        named, held = _headed(place), (_kinds(text, place) | (given or frozenset())) - {"people"}

        def weighed(score: float, entry: Section) -> float:
            is_named, holds = not named.isdisjoint(_things(entry, self._language)), bool(entry.collects & held)
            is_closed = given is not None and bool(entry.collects & IN_FULL) and not (is_named or holds)
            return 0.0 if is_closed else score + HEADED * is_named + COLLECTED * holds

        return list(map(weighed, found, self._outline))


@lru_cache(maxsize=64)
def _ranking(outline: tuple[Section, ...], language: str, other: str) -> Ranking:
    """The sections of an outline for texts of another language, or of the same one."""
    return Ranking(
        [
            *terms(f"{e.title} {e.purpose}", language),
            *related(_things(e, language), other),
        ]
        for e in outline
    )


def _headed(place: Place) -> frozenset[str]:
    """What the nearest heading that speaks of anything speaks of."""
    each = (things_of(heading, place.language) for heading in reversed(place.headings))
    return next(filter(None, each), frozenset())


def _kinds(text: str, place: Place) -> frozenset[str]:
    """What a text holds; the amounts and dates of a company and its references are none of the document's own."""
    headed = _headed(place)
    return kinds_of(text, place.language) - (IN_FULL - headed if "company" in headed else frozenset())


@lru_cache(maxsize=256)
def _things(section: Section, language: str) -> frozenset[str]:
    """What a section is about, as its title says it in the language of the document or in English."""
    about = f"{section.title} {' '.join(sorted(section.collects))}"
    return things_of(about, language) | things_of(about, "en")


def _passages(request: Request, bears: Bearing, passages: list[Passage]) -> list[Passage]:
    always, others = set[int](), list[tuple[float, int]]()
    for ats in _kept_together(passages):
        words, place = " ".join(passages[at].words for at in ats), passages[ats[0]].place
        kinds = _kinds(words, place) if len(words) <= LONG else frozenset()
        score = bears.takes(words, place, kinds, LEAST_TERMS)
        if place.origin == "person" or (score is not None and bears.collectors(kinds)):
            always.update(ats)
        elif score is not None:
            others += ((score, -at) for at in ats)
    kept = always | {-at for _, at in sorted(others, reverse=True)[:MOST_PASSAGES]}
    return _within(request.most_words, [passages[at] for at in sorted(kept)], {passages[at].key for at in always})


def _kept_together(passages: Sequence[Passage]) -> Iterator[list[int]]:
    """The numbers of what goes into one section: the sentences of a short paragraph, whatever else by itself."""

    def key(at: int) -> tuple[object, ...]:
        passage = passages[at]
        return (passage.place, passage.paragraph) if passage.form == "sentence" and not passage.items else (at,)

    for _, group in groupby(range(len(passages)), key=key):
        ats = list(group)
        yield from [ats] if sum(len(passages[at].words) for at in ats) <= LONG else ([at] for at in ats)


def _within(most_words: int | None, passages: list[Passage], always: set[str]) -> list[Passage]:
    """The passages as far as a limit of words allows; what must be there is there in any case."""
    if most_words is None:
        return passages
    room = most_words - sum(count_words(passage.words) for passage in passages if passage.key in always)
    kept = []
    for passage in passages:
        if passage.key not in always:
            room -= count_words(passage.words)
            if room < 0:
                continue
        kept.append(passage)
    return kept


def _images(request: Request, bears: Bearing, material: Material) -> Iterator[Image]:
    """The images that bear on the section most, by words that say what they show and by the text that they stand in."""
    nowhere = Place("input", "", request.language)
    for image in request.images:
        place, before = material.pictures.get(image.name, (nowhere, 0))
        about = [passage.words for passage in material.passages if passage.place == place][:FALLBACK]
        described = _described(image, place.heading)
        if described and bears.takes(" ".join((described, *about)), place) is not None:
            yield Image(image.name, described, place, before)


def _described(image: Image, heading: str) -> str:
    """What an image shows: its description, else the heading above it, else its name, if that says anything."""
    name = PurePosixPath(image.name).stem
    if fold(image.alt) not in ("", fold(name)):
        return image.alt
    return heading or ("" if _BY_NUMBER.fullmatch(name.casefold()) else fold(name))


DATA = Path(__file__).with_name("data") / "bearing.json"
KINDS = {"amount": "amounts", "date": "dates", "quantity": "figures"}
IN_FULL = frozenset({"amounts", "dates"})
"""What a section that collects it leaves nothing of out."""
BY_WORDS = ("risks", "people")
LAWS = "laws"

_UNDATED = re.compile(r"T.*|\d{4}")
_NUMBERING = re.compile(r"\d{1,2}\.\d{1,2}\.?")
_NEAR = 40
_SHORT_WORD = 4


@lru_cache(maxsize=65_536)
def claimed(text: str, language: str) -> tuple[Claim, ...]:
    """The claims of plain words that a section may collect; an hour, the date of a law and a bare year are none."""
    found = (claim for claim in claims(text, language) if claim.kind in KINDS)
    return tuple(claim for claim in found if claim.kind != "date" or _says_when(text, claim, language))


def _says_when(text: str, claim: Claim, language: str) -> bool:
    """Whether a date says when: no law is named right before it, with but its number and short words between."""
    if _UNDATED.fullmatch(claim.values[0]) or _NUMBERING.fullmatch(claim.text):
        return False
    before = text[max(0, claim.start - _NEAR) : claim.start]
    ends = [law.end() for law in _laws(language).finditer(before)]
    return not ends or any(word[:1].islower() and len(word) > _SHORT_WORD for word in before[ends[-1] :].split())


@lru_cache(maxsize=16)
def _laws(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, _words(LAWS, language))) or r"(?!)"
    behind = r"(?=[》」）]?[（(][^（）()]*$)" if language in NO_SPACES else r"\b"
    return re.compile(f"(?:{words}){behind}", re.IGNORECASE)


@lru_cache(maxsize=65_536)
def kinds_of(text: str, language: str) -> frozenset[str]:
    """What plain words hold, by the names of ``collects``."""
    found = {KINDS[claim.kind] for claim in claimed(text, language)}
    return frozenset(found | {kind for kind in BY_WORDS if _speaks_of(kind, text, language)})


def kinds_of_row(table: Table, row: tuple[str, ...]) -> frozenset[str]:
    """What the cells of a row hold under their heads: a bare number is an amount where its head names a currency."""
    cells = (in_column(cell, head, table.place.language) for head, cell in zip(table.head, row, strict=True))
    return frozenset[str]().union(*(kinds_of(cell, table.place.language) for cell in cells))


def named_kinds(words: str, language: str) -> frozenset[str]:
    """What words speak of, by the names of ``collects``, whether or not they state any of it."""
    return things_of(words, language) & {*IN_FULL, *BY_WORDS}


@lru_cache(maxsize=65_536)
def things_of(words: str, language: str) -> frozenset[str]:
    """What words speak of, by the names of ``data/bearing.json``."""
    things = (thing for thing in _data().get(language, ()) if thing != LAWS)
    return frozenset(thing for thing in things if _speaks_of(thing, words, language))


def related(things: Iterable[str], language: str) -> list[str]:
    """The terms of a language for things."""
    return [term for thing in sorted(things) for word in _words(thing, language) for term in terms(word, language)]


def _speaks_of(thing: str, text: str, language: str) -> bool:
    if language in NO_SPACES:
        return any(word in text for word in _words(thing, language))
    return not _stems(thing, language).isdisjoint(terms(text, language))


@lru_cache(maxsize=1)
def _data() -> dict[str, dict[str, list[str]]]:
    return dict(json.loads(DATA.read_text("utf-8")))


def _words(thing: str, language: str) -> list[str]:
    return _data().get(language, {}).get(thing, [])


@lru_cache(maxsize=256)
def _stems(thing: str, language: str) -> frozenset[str]:
    return frozenset(term for word in _words(thing, language) for term in terms(word, language))
