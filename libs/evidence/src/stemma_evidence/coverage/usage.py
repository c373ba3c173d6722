"""Which parts of a source a text rests on: those that it quotes, and those whose figures it states.

A part is used if half of it, or eight words, stand in the text one after the other, or if a paragraph of the text has
one of its numbers and a third of its words. That takes in too much rather than too little: a part that is taken for
used costs a look, one that is missed an error.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import filterfalse
from typing import NamedTuple

from stemma_markdown import Part, parts

RUN = 5
LONG_RUN = 8
"""So many words in a row are a quotation whatever they stand in; fewer are a turn of phrase in a long part."""
LEAST_SHARE = 1 / 3
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
_LEAST_DIGITS = 2
_LEAST_LETTERS = 4
_LEAST_WORDS = 2
MOST_COMPARED = 4_000_000
"""Words in comparisons of parts with paragraphs that share a number, ten for each; beyond, a part counts as used."""
_OF_A_COMPARISON = 10
_KEPT_CHARACTERS, _KEPT_TEXTS = 64 * 1024, 16

Run = tuple[str, ...]
"""Five words in a row."""


class ReadPart(NamedTuple):
    """A part of a source with its words, and what of them is looked for in every draft."""

    part: Part
    tokens: Sequence[str]
    runs: frozenset[Run]
    numbers: frozenset[str]
    words: frozenset[str]


class Uses:
    """What a text says, to be asked which parts of sources it rests on."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._runs = frozenset(runs_of(self._tokens))
        self._by_number: dict[str, list[frozenset[str]]] = defaultdict(list)
        self._left = MOST_COMPARED
        if numbers_of(self._tokens):  # a part has none that the text has not, and most drafts have few
            self._add_numbers(text)

    def _add_numbers(self, text: str) -> None:
        for part in parts(text):
            said = tokens_of(part.text)
            for number in numbers_of(said):
                self._by_number[number].append(words_of(said))

    def of(self, source: str, *, by_line: bool = False) -> tuple[str, ...]:
        """The fingerprints of the parts of a source that the text rests on; ``by_line`` of values in lines."""
        read = tuple(read_parts(source, by_line=by_line))
        short = self._short_quotations(tuple(part.tokens) for part in read)
        found = (part.part.fingerprint for part in read if tuple(part.tokens) in short or self._rests_on(part))
        return tuple(dict.fromkeys(found))

    def _short_quotations(self, tokens: Iterable[Run]) -> frozenset[Run]:
        """Those of some words that stand in the text, if they are fewer than a run."""
        wanted = frozenset(run for run in tokens if _LEAST_WORDS <= len(run) < RUN)
        lengths = {len(run) for run in wanted}
        return frozenset().union(*(wanted.intersection(runs_of(self._tokens, length)) for length in lengths))

    def _rests_on(self, read: ReadPart) -> bool:
        return self._quotes(read) or self._states_figures_of(read)

    def _quotes(self, read: ReadPart) -> bool:
        tokens = read.tokens
        if read.runs.isdisjoint(self._runs):
            return False
        in_a_row = 0
        for run in runs_of(tokens):
            in_a_row = in_a_row + 1 if run in self._runs else 0
            if in_a_row and in_a_row + RUN - 1 >= min(LONG_RUN, len(tokens) / 2):
                return True
        return False

    def _states_figures_of(self, read: ReadPart) -> bool:
        least = max(1, len(read.words) * LEAST_SHARE)
        said = (paragraph for number in read.numbers for paragraph in self._by_number.get(number, ()))
        return any(self._share_words(read.words, paragraph, least) for paragraph in said)

    def _share_words(self, words: frozenset[str], said: frozenset[str], least: float) -> bool:
        """Whether a part and a paragraph have so many words in common; also if too much was compared already."""
        self._left -= _OF_A_COMPARISON + min(len(words), len(said))
        return self._left < 0 or len(words & said) >= least


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a text, by which texts are compared."""
    return _TOKEN.findall(text.casefold())


def read_parts(text: str, *, by_line: bool = False) -> Iterable[ReadPart]:
    """The parts of a source, each with its words; what each draft of a document rests on is read once for all."""
    return _kept(text, by_line) if len(text) <= _KEPT_CHARACTERS else _read(text, by_line)


def _read(text: str, by_line: bool) -> Iterator[ReadPart]:
    for part in parts(text, by_line=by_line):
        tokens = tokens_of(part.text)
        yield ReadPart(part, tokens, frozenset(runs_of(tokens)), numbers_of(tokens), words_of(tokens))


@lru_cache(maxsize=_KEPT_TEXTS)
def _kept(text: str, by_line: bool) -> tuple[ReadPart, ...]:
    return tuple(_read(text, by_line))


def runs_of(tokens: Sequence[str], length: int = RUN) -> Iterator[Run]:
    """Every five words in a row, or so many."""
    return zip(*(tokens[at:] for at in range(length)), strict=False)


def numbers_of(tokens: Sequence[str]) -> frozenset[str]:
    """Numbers that say something: of two digits and more."""
    with_digits = filterfalse(str.isalpha, tokens)
    return frozenset(token for token in with_digits if sum(map(str.isdigit, token)) >= _LEAST_DIGITS)


def words_of(tokens: Sequence[str]) -> frozenset[str]:
    """Words that say something: of four letters and more."""
    return frozenset(token for token in filter(str.isalpha, tokens) if len(token) >= _LEAST_LETTERS)
