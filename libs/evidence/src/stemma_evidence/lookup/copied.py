"""Words that a draft has from texts that it may not quote: what is internal, instructions, the buyer's request."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from stemma_languages import detect, grammar
from stemma_markdown import Document, Prose

from stemma_evidence.sources.source import Source

Whose: TypeAlias = Literal["internal", "instruction", "request"]

RUN: dict[Whose, int] = {"internal": 6, "instruction": 6, "request": 12}
"""The words of a run that is found."""
SENTENCE = 8
"""The words of a whole sentence of the request that is found."""
_HALVES = 2
"""A word counts two, a character of a script without spaces one."""
_EASTERN = "\u3040-\u30ff\u3400-\u9fff"
_TOKEN = re.compile(rf"(?P<eastern>[{_EASTERN}])|\d+(?:[.,'’]\d+)*|[^\W\d_{_EASTERN}]+")
_QUOTED = re.compile(r"[\"“„«»「『‹][^\"“”„«»「」『』‹›]{1,4000}[\"”“»«」』›]")
_END = re.compile(r"[.!?][^\w\s]{0,3}\s|[。！？|]|\s[-*+•]\s")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_PLAIN_LATIN = r"(?<![^\W\d_])[a-zß-ÿ]{4,}"
_PLAIN = re.compile(rf"{_PLAIN_LATIN}|[{_EASTERN}]")
"""Of a run that is more than a name."""
_PLAIN_JAPANESE = re.compile(f"{_PLAIN_LATIN}|{_HIRAGANA.pattern}")
_MOST_ALIKE = 8
"""Sentences with the same beginning that are compared."""


@dataclass(frozen=True)
class Copied:
    """A run of words of a draft at a line, and the line of the source that has it."""

    whose: Whose
    text: str
    line: int
    name: str
    source_line: int


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    weight: int


class _Place(NamedTuple):
    source: Source
    start: int


class _Sentence(NamedTuple):
    words: list[str]
    place: _Place


class _Piece(NamedTuple):
    """A heading, paragraph, cell or block of code of a draft, and the tokens of it that are marked as a quotation.

    It ``is_answered`` if it is a cell with words in a cell to its right, as in a matrix of demands and answers.
    """

    text: str
    line: int
    tokens: Sequence[_Token]
    quoted: Collection[int]
    is_title: bool
    plain: re.Pattern[str]
    is_answered: bool = False

    def quotes(self, first: int, last: int) -> bool:
        """Whether these tokens are marked as words of somebody else, as most of a cell with an answer behind it is."""
        return all(at in self.quoted for at in range(first, last)) or (
            self.is_answered and 2 * (last - first) >= len(self.tokens)
        )


def copied(text: str, foreign: Sequence[tuple[Whose, Source]], ours: Iterable[str]) -> tuple[Copied, ...]:
    """The runs of words that a draft has from foreign texts; what ``ours`` say as well is ours.

    Titles may repeat all but what is internal, marked quotations the request, and any text a name or a title of the
    request. What the request says is no secret, and no instruction. Takes time linear in all texts.
    """
    plain = _PLAIN_JAPANESE if _HIRAGANA.search(text) else _PLAIN
    pieces = _answered([_piece(prose, plain) for prose in Document(text).prose])
    sizes = {SENTENCE, *RUN.values()} if foreign else set[int]()
    wanted = {size: {key for piece in pieces for _, _, key in _runs(piece.tokens, size)} for size in sizes}
    own = {size: set[int]() for size in sizes}
    for tokens in (list(_tokens(words)) for words in ours):
        for size in sizes:
            own[size].update(key for _, _, key in _runs(tokens, size) if key in wanted[size])
    found, known = list[Copied](), set[int]()
    for source in (source for whose, source in foreign if whose == "request"):
        known.update(key for _, _, key in _runs(list(_tokens(source.wording)), RUN["internal"]))
    for whose in RUN if pieces and foreign else ():
        sources = [source for of, source in foreign if of == whose]
        said = own[RUN[whose]] if whose == "request" else own[RUN[whose]] | known
        places = _places(sources, whose, wanted[RUN[whose]] - said)
        texts = pieces if whose == "internal" else [piece for piece in pieces if not piece.is_title]
        found += (run for piece in texts for run in _copied(piece, whose, places, said))
        if whose == "request":
            found += _sentences(texts, _short_sentences(sources, wanted[SENTENCE], own[SENTENCE]))
    return tuple(sorted(found, key=lambda one: one.line))


def dictated(source: Source) -> Iterator[str]:
    """What an instruction wants to be said in these words, as in "say that the council pays"."""
    words = source.wording[:20_000]
    known = grammar(detect(words))
    for sentence in _END.split(words):
        forms = [form for part in known.parts(sentence) if (form := known.form(part))]
        if any(form.verb == "say" for form in forms):
            yield sentence
        yield from (form.new for form in forms if form.new)


def _piece(prose: Prose, plain: re.Pattern[str]) -> _Piece:
    tokens = tuple(_tokens(prose.text))
    spans = (found.span() for found in _QUOTED.finditer(prose.text))
    quoted = range(len(tokens)) if prose.quoted else frozenset(_within(tokens, spans))
    return _Piece(prose.text, prose.line, tokens, quoted, prose.kind == "heading", plain)


def _answered(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces, each with whether one with words stands behind it on its line, which only cells have."""
    told, line = list[_Piece](), 0
    for piece in reversed(pieces):
        told.append(piece._replace(is_answered=piece.line == line))
        line = piece.line if any(token.word.isalpha() for token in piece.tokens) else line
    return told[::-1]


def _within(tokens: Sequence[_Token], spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The tokens in spans, both in their order."""
    left = iter(spans)
    start, end = next(left, (0, 0))
    for at, token in enumerate(tokens):
        while end and token.start >= end:
            start, end = next(left, (0, 0))
        if start <= token.start < end:
            yield at


def _tokens(text: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text):
        yield _Token(found.group().casefold(), found.start(), found.end(), 1 if found["eastern"] else _HALVES)


def _runs(tokens: Sequence[_Token], size: int) -> Iterator[tuple[int, int, int]]:
    """The shortest run of so many words from each token on: its bounds and its key."""
    words = [token.word for token in tokens]
    weight, end = 0, 0
    for start, token in enumerate(tokens):
        while weight < size * _HALVES and end < len(tokens):
            weight, end = weight + tokens[end].weight, end + 1
        if weight < size * _HALVES:
            return
        yield start, end, hash(tuple(words[start:end]))
        weight -= token.weight


def _places(sources: Iterable[Source], whose: Whose, wanted: set[int]) -> dict[int, _Place]:
    """Where the runs of a draft stand that are not ours; titles of what is not internal may be named."""
    found, named = dict[int, _Place](), set[int]()
    for source in sources if wanted else ():
        titles = _titles(source) if whose != "internal" else set[int]()
        tokens = list(_tokens(source.wording))
        for start, _, key in _runs(tokens, RUN[whose]):
            if key in wanted and source.line_of_wording(tokens[start].start) in titles:
                named.add(key)
            elif key in wanted:
                found.setdefault(key, _Place(source, tokens[start].start))
    return {key: place for key, place in found.items() if key not in named}


def _titles(source: Source) -> set[int]:
    """The lines of the headings."""
    return {line for line, _ in source.headings}


def _copied(piece: _Piece, whose: Whose, places: dict[int, _Place], said: set[int]) -> Iterator[Copied]:
    """The longest runs of a piece that stand in places; a single word beside what may be said makes none."""
    first, last, place, before = 0, 0, None, False
    runs = [*_runs(piece.tokens, RUN[whose]), (len(piece.tokens) + 1, 0, 0)]
    for at, (start, end, key) in enumerate(runs):
        is_edge = before or (at + 1 < len(runs) and runs[at + 1][2] in said)
        before, here = key in said, None if is_edge else places.get(key)
        if place and (not here or start > last):
            yield from _told(piece, whose, first, last, place)
            place = None
        if here:
            first, last, place = (first, end, place) if place else (start, end, here)


def _told(piece: _Piece, whose: Whose, first: int, last: int, place: _Place) -> Iterator[Copied]:
    text = piece.text[piece.tokens[first].start : piece.tokens[last - 1].end]
    if whose == "request" and piece.quotes(first, last):
        return
    if whose == "internal" or piece.plain.search(text):
        source = place.source
        line = source.place(source.line_of_wording(place.start)).line
        yield Copied(whose, text, piece.line, source.name, line)


def _sentences(pieces: Sequence[_Piece], places: dict[int, list[_Sentence]]) -> Iterator[Copied]:
    """The whole sentences of the request, too short for a run, that stand in pieces."""
    for piece in pieces if places else ():
        words, last = [token.word for token in piece.tokens], 0
        for start, _, key in _runs(piece.tokens, SENTENCE):
            for sentence in places.get(key, ()):
                end = start + len(sentence.words)
                if start >= last and words[start:end] == sentence.words:
                    yield from _told(piece, "request", start, end, sentence.place)
                    last = end


def _short_sentences(sources: Iterable[Source], wanted: set[int], own: set[int]) -> dict[int, list[_Sentence]]:
    """The sentences that are longer than a few words and shorter than a run, by how they begin."""
    found = defaultdict[int, list[_Sentence]](list)
    left = wanted - own
    for source in sources:
        titles = _titles(source)
        for tokens in _sentences_of(source):
            first = next(_runs(tokens, SENTENCE), None)
            is_short = sum(token.weight for token in tokens) < RUN["request"] * _HALVES
            if not first or not is_short or first[2] not in left or len(found[first[2]]) >= _MOST_ALIKE:
                continue
            if source.line_of_wording(tokens[0].start) not in titles:
                found[first[2]].append(_Sentence([token.word for token in tokens], _Place(source, tokens[0].start)))
    return found


def _sentences_of(source: Source) -> Iterator[list[_Token]]:
    starts = iter([at for at, line in source.wording_lines if line - 1 in source.blocks])
    held, block = list[_Token](), next(starts, None)
    for token in _tokens(source.wording):
        ends = bool(held) and _END.search(source.wording, held[-1].end, token.start) is not None
        while block is not None and token.start >= block:
            ends, block = True, next(starts, None)
        if ends and held:
            yield held
            held = []
        held.append(token)
    if held:
        yield held
