"""Which parts of a source a text rests on: those that it quotes, and those whose figures it states.

A part is used if half of it, or eight words, stand in the text one after the other, or if a paragraph of the text has
one of its numbers and a third of its words. That takes in too much rather than too little: a part that is taken for
used costs a look, one that is missed an error.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from stemma_markdown import Part, parts

RUN = 5
LONG_RUN = 8
"""So many words in a row are a quotation whatever they stand in; fewer are a turn of phrase in a long part."""
LEAST_SHARE = 1 / 3
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
_LEAST_DIGITS = 2
_LEAST_LETTERS = 4
_LEAST_WORDS = 2
_KEPT_CHARACTERS, _KEPT_TEXTS = 64 * 1024, 16


class Uses:
    """What a text says, to be asked which parts of sources it rests on."""

    def __init__(self, text: str) -> None:
        tokens = tokens_of(text)
        self._runs = frozenset(runs_of(tokens))
        self._joined = _joined(tokens)
        self._by_number: dict[str, list[frozenset[str]]] = defaultdict(list)
        for part in parts(text):
            said = tokens_of(part.text)
            for number in numbers_of(said):
                self._by_number[number].append(words_of(said))

    def of(self, source: str, *, by_line: bool = False) -> tuple[str, ...]:
        """The fingerprints of the parts of a source that the text rests on; ``by_line`` of values in lines."""
        read = parts_with_tokens(source, by_line=by_line)
        found = (part.fingerprint for part, tokens in read if self._rests_on(tokens))
        return tuple(dict.fromkeys(found))

    def _rests_on(self, tokens: Sequence[str]) -> bool:
        return self._quotes(tokens) or self._states_figures_of(tokens)

    def _quotes(self, tokens: Sequence[str]) -> bool:
        if len(tokens) < RUN:
            return len(tokens) >= _LEAST_WORDS and _joined(tokens) in self._joined
        in_a_row = 0
        for run in runs_of(tokens):
            in_a_row = in_a_row + 1 if run in self._runs else 0
            if in_a_row and in_a_row + RUN - 1 >= min(LONG_RUN, len(tokens) / 2):
                return True
        return False

    def _states_figures_of(self, tokens: Sequence[str]) -> bool:
        words = words_of(tokens)
        least = max(1, len(words) * LEAST_SHARE)
        return any(
            len(words & said) >= least for number in numbers_of(tokens) for said in self._by_number.get(number, ())
        )


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a text, by which texts are compared."""
    return _TOKEN.findall(text.casefold())


def parts_with_tokens(text: str, *, by_line: bool = False) -> Iterable[tuple[Part, Sequence[str]]]:
    """The parts of a source, each with its words; what each draft of a document rests on is read once for all."""
    return _kept(text, by_line) if len(text) <= _KEPT_CHARACTERS else _with_tokens(text, by_line)


def _with_tokens(text: str, by_line: bool) -> Iterator[tuple[Part, Sequence[str]]]:
    return ((part, tokens_of(part.text)) for part in parts(text, by_line=by_line))


@lru_cache(maxsize=_KEPT_TEXTS)
def _kept(text: str, by_line: bool) -> tuple[tuple[Part, Sequence[str]], ...]:
    return tuple(_with_tokens(text, by_line))


def runs_of(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every five words in a row."""
    return zip(*(tokens[at:] for at in range(RUN)), strict=False)


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "


def numbers_of(tokens: Sequence[str]) -> frozenset[str]:
    """Numbers that say something: of two digits and more."""
    with_digits = (token for token in tokens if not token.isalpha())
    return frozenset(token for token in with_digits if sum(map(str.isdigit, token)) >= _LEAST_DIGITS)


def words_of(tokens: Sequence[str]) -> frozenset[str]:
    """Words that say something: of four letters and more."""
    return frozenset(token for token in tokens if len(token) >= _LEAST_LETTERS and token.isalpha())
