"""What of the inputs a text holds: block by block, computed from facts and words, whoever wrote the text."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from stemma_contracts.v1.coverage import BlockCoverage, LeftOut, WhyMissing
from stemma_markdown import Document, Prose, without_templates

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.extraction import claims
from stemma_evidence.sources.tables import in_column, is_tabular, rows_of
from stemma_evidence.sources.words import content_words, language_of

ENOUGH = 0.6
"""The share of a block's content words that one section must have."""
CANDIDATES = 200
"""How many sections a block is compared with at most: those that share its rarest words."""
MAX_COMPARISONS = 20_000_000
"""Beyond so many words looked up, which only a hostile text needs, a block that is not there as it is is missing."""
LETTERS_TO_TELL = 200
"""So many letters tell the language of a text; a shorter one is in any language that it is compared with."""
SECTION_WORDS = 500
"""A section up to this length counts together with its subsections; a longer one is looked at in overlapping parts,
for in enough text any words are found by chance."""
MAX_NAMED_FACTS = 10


@dataclass(frozen=True)
class InputText:
    """An input that is to be covered; no ``text`` if it cannot be read as one."""

    name: str
    text: str | None
    media_type: str = "text/markdown"


def coverage(sources: Sequence[InputText], text: str, left_out: Sequence[LeftOut]) -> tuple[BlockCoverage, ...]:
    """Where each block of the inputs stands in ``text``; a block is a paragraph, an item, a row or a code block.

    A block is covered if one section of the text holds all its amounts, dates and names and 60 % of its content
    words. Headings are no blocks, and no heading covers one.
    """
    whole = _Whole(text)
    return tuple(block for source in sources for block in _of_source(source, whole, left_out))


def _of_source(source: InputText, whole: _Whole, left_out: Collection[LeftOut]) -> Iterator[BlockCoverage]:
    own = [entry for entry in left_out if entry.file == source.name]
    if source.text is None:
        standing: Literal["left_out", "missing"] = "left_out" if any(not entry.heading for entry in own) else "missing"
        why: WhyMissing | None = None if own else "unreadable"
        yield BlockCoverage(file=source.name, chapter="", line=1, standing=standing, why=why)
        return
    language = _language(source.text)
    tabular = is_tabular(source.media_type)
    read = list(rows(source.text, source.media_type, language) if tabular else passages(source.text, language))
    spoken = _Spoken(read, language if _can_tell(source.text) else None)
    for passage in read:
        found = whole.holds(passage)
        if found is None:
            continue
        told = BlockCoverage(
            file=source.name,
            chapter=passage.path[-1] if passage.path else "",
            line=passage.line,
            standing="covered" if found.why is None else "missing",
            why=found.why,
            missing_facts=found.missing_facts,
            words=found.words,
            section=found.section,
        )
        if found.why is None:
            yield told
        elif any(_names(entry, passage) for entry in own):
            yield told.model_copy(update={"standing": "left_out", "why": None})
        elif foreign := whole.foreign(spoken.of(passage)):
            yield told.model_copy(update={"standing": "not_comparable", "why": None, "language": foreign})
        else:
            yield told


def _names(entry: LeftOut, passage: Passage) -> bool:
    """Whether what is left out is the file, or a chapter that the passage is in."""
    heading = folded(entry.heading)
    return not heading or any(folded(title) == heading for title in passage.path)


def folded(text: str) -> str:
    """A text for comparison: without case, its words one space apart."""
    return " ".join(text.casefold().split())


class _Spoken:
    """The languages of an input: of the whole, and of chapters that are long enough to tell."""

    def __init__(self, read: Iterable[Passage], of_file: str | None) -> None:
        self._of_file = of_file
        self._chapters: dict[tuple[str, ...], list[str]] = {}
        self._known: dict[tuple[str, ...], str | None] = {}
        for passage in read:
            self._chapters.setdefault(passage.path, []).append(passage.text)

    def of(self, passage: Passage) -> str | None:
        """The language of the chapter that a passage is in, else that of its file; none if neither can be told."""
        if passage.path not in self._known:
            words = "\n".join(self._chapters[passage.path])
            self._known[passage.path] = _language(words) if _can_tell(words) else self._of_file
        return self._known[passage.path]


def _language(text: str) -> str:
    return language_of(text, "en")


def _can_tell(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= LETTERS_TO_TELL


@dataclass
class _Section:
    """One section of the text: what its own paragraphs hold, in the forms that blocks are compared in."""

    title: str
    passages: list[Passage] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    plain: str = ""

    def read(self, language: str) -> None:
        self.plain = folded("\n".join(passage.text for passage in self.passages))
        self.words = content_words(self.plain, language)
        facts = (fact for passage in self.passages for fact in (*passage.facts, *passage.numbers))
        self.facts = frozenset(value for fact in facts for value in fact.values)

    def lacks(self, passage: Passage) -> tuple[str, ...]:
        """The facts of a passage that do not stand here."""
        return tuple(
            fact.text
            for fact in passage.facts
            if self.facts.isdisjoint(fact.values) and not (fact.kind == "name" and folded(fact.text) in self.plain)
        )


@dataclass(frozen=True)
class _Found:
    why: WhyMissing | None
    words: float = 0.0
    section: str = ""
    missing_facts: tuple[str, ...] = ()


class _Whole:
    """The text, ready to be asked whether it holds a block."""

    def __init__(self, text: str) -> None:
        self.language = _language(text)
        own = list(passages(text, self.language))
        self._as_they_are = {folded(passage.text): passage for passage in reversed(own)}
        self._sections = _sections(own, self.language)
        self._in = _index(section.words for section in self._sections)
        self._facts_in = _index(section.facts for section in self._sections)
        self._known: dict[tuple[frozenset[str], frozenset[str]], _Found] = {}
        self._comparisons = 0
        self._languages = self._spoken() if _can_tell(text) else frozenset()

    def _spoken(self) -> frozenset[str]:
        texts = ("\n".join(passage.text for passage in section.passages) for section in self._sections[:CANDIDATES])
        return frozenset({self.language, *(_language(words) for words in texts if _can_tell(words))})

    def foreign(self, language: str | None) -> str:
        """The language, if what is in it can stand here only in translation; else nothing."""
        return "" if language is None or not self._languages or language in self._languages else language

    def holds(self, passage: Passage) -> _Found | None:
        """Whether one section holds a block; nothing for a block without words and facts."""
        words = content_words(passage.text, self.language)
        if not words and not passage.facts:
            return None
        same = self._as_they_are.get(folded(passage.text))
        if same is not None:
            return _Found(None, 1.0, same.path[-1] if same.path else "")
        key = (words, frozenset(fact.text for fact in passage.facts))
        if key not in self._known:
            self._known[key] = self._best(passage, words)
        return self._known[key]

    def _best(self, passage: Passage, words: frozenset[str]) -> _Found:
        """The first section that holds the block, else the one that comes nearest to it."""
        best = _Found("absent")
        for number in self._candidates(words, passage.facts):
            section = self._sections[number]
            share = len(words & section.words) / len(words) if words else 1.0
            lacking = section.lacks(passage)[:MAX_NAMED_FACTS]
            if share >= ENOUGH and not lacking:
                return _Found(None, share, section.title)
            if share > best.words:
                best = _Found("facts" if share >= ENOUGH else "words", share, section.title, lacking)
        return best

    def _candidates(self, words: frozenset[str], facts: Sequence[Claim]) -> Iterable[int]:
        """The sections that may hold a block: of its rarest words such a section has one, without words a fact."""
        if self._comparisons > MAX_COMPARISONS:
            return ()
        rarest = sorted(words, key=lambda word: len(self._in.get(word, ())))
        looked_up = rarest[: len(words) - math.ceil(ENOUGH * len(words)) + 1]
        standing = [self._in.get(word, []) for word in looked_up] if words else list(self._with_fact(facts))
        found: Counter[int] = Counter()
        for sections in standing:
            self._comparisons += len(sections[: 10 * CANDIDATES]) + 1
            found.update(sections[: 10 * CANDIDATES])
        chosen = [number for number, _ in found.most_common(CANDIDATES)]
        self._comparisons += len(chosen) * len(words)
        return chosen

    def _with_fact(self, facts: Sequence[Claim]) -> Iterator[list[int]]:
        """The sections that have each of some facts."""
        for fact in facts:
            yield list(dict.fromkeys(number for value in fact.values for number in self._facts_in.get(value, ())))


def _sections(own: Sequence[Passage], language: str) -> list[_Section]:
    """The sections with what stands under their own heading, then short ones with all that stands below it."""
    by_path: dict[tuple[int, ...], _Section] = {}
    whole: dict[tuple[int, ...], _Section] = {}
    for passage in own:
        title = passage.path[-1] if passage.path else ""
        by_path.setdefault(passage.place, _Section(title)).passages.append(passage)
        for depth in range(2, len(passage.place) + 1):
            whole.setdefault(passage.place[:depth], _Section(passage.path[depth - 1])).passages.append(passage)
    short = [s for place, s in whole.items() if place not in by_path or s.passages != by_path[place].passages]
    joined = [section for section in short if sum(map(_length, section.passages)) <= SECTION_WORDS]
    sections = [*(part for section in by_path.values() for part in _parts(section)), *joined]
    for section in sections:
        section.read(language)
    return sections


def _parts(section: _Section) -> Iterator[_Section]:
    """The section, or parts of it of which each begins in the middle of the one before."""
    part, words, half = list[Passage](), 0, 0
    for passage in section.passages:
        part.append(passage)
        words += _length(passage)
        half = half or (len(part) if words >= SECTION_WORDS // 2 else 0)
        if words >= SECTION_WORDS:
            yield _Section(section.title, part)
            part = part[half:]
            words, half = sum(map(_length, part)), 0
    if part:
        yield _Section(section.title, part)


def _length(passage: Passage) -> int:
    return len(passage.text.split())


def _index(held: Iterable[Iterable[str]]) -> Mapping[str, list[int]]:
    """The numbers of the sections that hold something, by what it is."""
    found: dict[str, list[int]] = {}
    for number, values in enumerate(held):
        for value in values:
            found.setdefault(value, []).append(number)
    return found


FACTS = ("amount", "date", "name")


@dataclass(frozen=True)
class Passage:
    """``path`` are the headings above it, the nearest last; ``place`` the same as numbers, for two of one name.

    ``facts`` are its amounts, dates and names, of a row of a table its other numbers too; ``numbers`` are those that a
    paragraph may round or leave out; ``line`` counts from 1.
    """

    text: str
    path: tuple[str, ...]
    place: tuple[int, ...]
    line: int
    facts: tuple[Claim, ...]
    numbers: tuple[Claim, ...] = ()


def rows(text: str, media_type: str, language: str) -> Iterator[Passage]:
    """The rows of a table or JSON, each a passage of the cells that have words; numbers are facts of their row.

    What has its unit from the name of its column may stand without it under that name.
    """
    for line, cells in rows_of(text, media_type):
        found = claims("\n\n".join(in_column(cell, name, language) for name, cell in cells), language)
        facts = tuple(_also_bare(claim) for claim in found if claim.kind in (*FACTS, "quantity"))
        words = " ".join(" ".join(cell.split()) for _, cell in cells if any(map(str.isalpha, cell)))
        yield Passage(words, (), (), line, facts)


def _also_bare(claim: Claim) -> Claim:
    bare = tuple(value.partition(" ")[0] for value in claim.values) if claim.units else ()
    return replace(claim, values=(*claim.values, *bare))


def passages(text: str, language: str) -> Iterator[Passage]:
    """The passages of a text in their order, without headings and without the descriptions of images."""
    document = Document(_without_images(without_templates(text)))
    facts = [
        claim for claim in claims(document.text, language, document=document) if claim.kind in (*FACTS, "quantity")
    ]
    starts = [claim.start for claim in facts]
    above: list[tuple[int, str, int]] = []
    number = 0
    for pieces in _rows(document.prose):
        first = pieces[0]
        if first.kind == "heading" and not first.quoted:
            number += 1
            above = [*(entry for entry in above if entry[0] < first.level), (first.level, first.text, number)]
            continue
        found = facts[bisect_left(starts, first.start) : bisect_left(starts, pieces[-1].end)]
        yield Passage(
            text=" ".join(" ".join(piece.text.split()) for piece in pieces),
            path=tuple(" ".join(title.split()) for _, title, _ in above),
            place=tuple(number for _, _, number in above),
            line=first.line,
            facts=tuple(claim for claim in found if claim.kind in FACTS),
            numbers=tuple(claim for claim in found if claim.kind not in FACTS),
        )


def _rows(pieces: Sequence[Prose]) -> Iterator[list[Prose]]:
    """Each piece by itself, the cells of a row together."""
    for cell, group in groupby(pieces, lambda piece: piece.line if piece.kind == "cell" else 0):
        if cell:
            yield list(group)
        else:
            yield from ([piece] for piece in group)


def _without_images(text: str) -> str:
    """The text with spaces in place of images: whether one is shown, skipped or described is no matter of words."""
    if "![" not in text and "<img" not in text.lower():
        return text
    kept, at = list[str](), 0
    for image in Document(text).images:
        if image.start >= at:
            kept += [text[at : image.start], "".join(c if c == "\n" else " " for c in text[image.start : image.end])]
            at = image.end
    return "".join([*kept, text[at:]])
