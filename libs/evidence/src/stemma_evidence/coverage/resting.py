"""What of an upstream text a draft rests on, by marks: what it quotes, says in other words, states a figure of, or
names, and the definitions of terms that it uses.

That takes in too much rather than too little: what is taken for used costs a look, what is missed an error.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import groupby
from math import log

from stemma_markdown import CODE, Marked, marked, names_of, words_of

from stemma_evidence.sources.words import content_words

from .usage import LONG_RUN, RUN, runs_of

LEAST_SHARE, LEAST_WORDS = 0.5, 4
"""Of the weight of a sentence's words a paragraph that says the same has so much; rare words weigh more."""
SHARE_WITH_FIGURE = 1 / 3
_LEAST_DIGITS = 2
_LEAST_NAMES = 2
_AROUND = " \t\r\n`*+-_"
MOST_COMPARED = 1_000_000
"""Words of the upstream that are looked for in paragraphs: half a second of work; beyond, all of it counts as used."""


class UpstreamText:
    """An upstream text, read once for all drafts that rest on it."""

    def __init__(self, text: str, language: str) -> None:
        self.marked = marked(text, language)
        self.words = tuple(_weighed(one.words, one.names, language) for one in self.marked)
        known = Counter(word for words in self.words for word in words)
        self.weights = {word: log((len(self.marked) + 1) / count) for word, count in known.items()}
        self.times = Counter(one.mark for one in self.marked)


class Rests:
    """A draft, to be asked what of upstream texts it rests on."""

    def __init__(self, text: str, language: str, most_compared: int = MOST_COMPARED) -> None:
        own = marked(text, language)
        self._folded = f" {' '.join(word for one in own for word in one.words)} "
        self._marks = {one.mark for one in own}
        self._words = tuple(word for one in own for word in one.words)
        self._known, self._runs = frozenset(self._words), frozenset(runs_of(self._words))
        self._headings = {one.words for one in own if one.kind == "heading" and 1 < len(one.words) <= LONG_RUN}
        self._lengths = {len(words) for words in self._headings}
        self._names = names_of(text) | _set_apart(own)
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, part in groupby(own, key=lambda one: one.part):
            for word in frozenset().union(*(_weighed(one.words, one.names, language) for one in part)):
                self._places[word].append(number)
        self._left = most_compared

    def on(self, upstream: UpstreamText, lines: Collection[int] = ()) -> tuple[str, ...] | None:
        """The marks that the draft rests on; ``lines`` are places that were found otherwise. None: past the bound."""
        used = dict[str, None]()
        for one, words in zip(upstream.marked, upstream.words, strict=True):
            if self._left < 0:
                return None
            how = self._uses(one, words, upstream)
            if how or one.line in lines:
                used |= dict.fromkeys((one.mark, *_reaching(one, how)))
                used |= dict.fromkeys(mark for word, mark in one.facts.items() if self._says(word))
            used |= dict.fromkeys(mark for name, mark in one.alone.items() if name in self._names)
        return tuple(used)

    def _says(self, word: str) -> bool:
        return word in self._known or word in self._names

    def _uses(self, one: Marked, words: frozenset[str], upstream: UpstreamText) -> str:
        """How the draft uses a sentence: its words, its sense, or something in it; empty if it does not."""
        if self._quotes(one, upstream):
            return "words"
        says, states = self._in_other_words(one, words, upstream)
        if says or self._uses_term(one):
            return "sense"
        return "part" if states or self._is_referred_to(one) or self._goes_by(one) else ""

    def _quotes(self, one: Marked, upstream: UpstreamText) -> bool:
        words, in_a_row = one.words, 0
        if len(words) < RUN:
            return len(words) > 1 and one.mark in self._marks and upstream.times[one.mark] == 1
        for run in runs_of(words):
            in_a_row = in_a_row + 1 if run in self._runs else 0
            if in_a_row and in_a_row + RUN - 1 >= min(LONG_RUN, len(words) / 2):
                return True
        return False

    def _uses_term(self, one: Marked) -> bool:
        if not one.defines:
            return False
        if one.defines.startswith(CODE):
            return one.defines.removeprefix(CODE) in self._names
        return self._has(words_of(one.defines))

    def _has(self, words: Sequence[str]) -> bool:
        return f" {' '.join(words)} " in self._folded

    def _in_other_words(self, one: Marked, words: frozenset[str], upstream: UpstreamText) -> tuple[bool, bool]:
        """Whether a paragraph says the same, and whether one states a figure of it, or several names."""
        weights, common = defaultdict[int, float](float), defaultdict[int, list[str]](list)
        for word in words:
            for place in self._places.get(word, ()):
                weights[place] += upstream.weights[word]
                common[place].append(word)
        self._left -= sum(map(len, common.values()))
        total = sum(upstream.weights[word] for word in words)
        says = any(len(common[at]) >= LEAST_WORDS and weight >= LEAST_SHARE * total for at, weight in weights.items())
        states = any(
            (_has_figure(found) and len(found) > 2 and weights[at] >= SHARE_WITH_FIGURE * total) or _has_names(found)
            for at, found in common.items()
        )
        return says, states

    def _is_referred_to(self, one: Marked) -> bool:
        """Whether a sentence names a heading of the draft."""
        return one.kind != "heading" and any(
            not self._headings.isdisjoint(runs_of(one.words, length)) for length in self._lengths
        )

    def _goes_by(self, one: Marked) -> bool:
        """Whether the draft uses a heading as a term."""
        if one.kind != "heading":
            return False
        return self._has(one.words) if len(one.words) > 1 else not one.names.isdisjoint(self._names)


def _reaching(one: Marked, how: str) -> tuple[str, ...]:
    """The marks of what comes below: in the block to who uses the words, in the next ones to who uses the sense."""
    return {"words": (one.below,), "sense": (one.below, one.after)}.get(how, ())


def _has_figure(words: Collection[str]) -> bool:
    return any(sum(map(str.isdigit, word)) >= _LEAST_DIGITS for word in words if word[0].isdigit())


def _has_names(words: Collection[str]) -> bool:
    return sum(word.startswith(CODE) for word in words) >= _LEAST_NAMES


@lru_cache(maxsize=65_536)
def _weighed(words: tuple[str, ...], names: frozenset[str], language: str) -> frozenset[str]:
    """The stems of words, and figures and names as they are."""
    plain = content_words(" ".join(word for word in words if not word.startswith("http")), language)
    return plain | {word for word in words if word[0].isdigit()} | {f"{CODE}{name}" for name in names}


def _set_apart(own: Sequence[Marked]) -> set[str]:
    """What fills a cell of a table or an item by itself, and the words of code."""
    cells = (cell for one in own if one.kind == "table" for cell in one.text.split("|"))
    items = (one.text for one in own if one.kind == "list" and len(one.words) == 1)
    code = (word for one in own if one.kind == "code" for word in one.words)
    return {*filter(None, (text.strip(_AROUND) for text in (*cells, *items))), *code}
