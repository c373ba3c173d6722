"""Names in sources, across inflection, case and the languages of countries."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.quotations import folded
from stemma_evidence.claims.vocabulary import ANY, CAPITALISED, territories, territory_names
from stemma_evidence.sources.source import Source, merged_lines
from stemma_evidence.sources.words import stems

from .index import Found

_WORD = re.compile(r"[^\W_]+")
_MOST_PLACES = 50
_LEAST_IN_COMPOUND = 6
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Names:
    """What of names the sources have."""

    def __init__(self, sources: tuple[Source, ...], draft: Source, own_words: Iterable[str]) -> None:
        self._sources = sources
        self._own = {stem for title in own_words for word in _WORD.findall(title) for stem in stems(word)}
        self._wording = draft.wording
        self._lines = cache(self._read_lines)
        self._line_of_all = cache(self._read_line_of_all)

    def places(self, claim: Claim) -> list[Found] | None:
        """Where a name stands; None if it is a title of the document itself, or explained where it is first used."""
        if _CJK.search(claim.text):
            return self._literally(claim)
        words = [w for w in _WORD.findall(claim.text) if w.casefold() not in ANY.joining and len(w) > 1]
        words = [w for w in words if w.casefold() not in CAPITALISED] or words
        told = tuple(w for w in words if w not in ANY.companies) or tuple(words)
        for number, source in enumerate(self._sources):
            if line := self._line_of_all(number, told):
                return [Found(source, source.place(line), claim.text)]
        if (named := self._of_territory(claim.values[0])) is not None:
            return [Found(named, named.place(1), claim.text)]
        if all(stems(word) & self._own for word in words) or self._is_explained(claim.text):
            return None
        return []

    def has_a_part(self, claim: Claim) -> bool:
        """Whether the sources have a word of a name of several, but not as the first of two: that may be a person's."""
        words = [w for w in _WORD.findall(claim.text) if w.casefold() not in CAPITALISED | ANY.joining and len(w) > 1]
        if len(words) < 2 or not ANY.companies.isdisjoint(words):
            return False
        numbers = range(len(self._sources))
        return any(self._lines(number, word) for word in words[len(words) == 2 :] for number in numbers)

    def _of_territory(self, name: str) -> Source | None:
        """The first source that names a country or region, in whatever language it does."""
        names = territory_names().get(territories().get(name, ""), ())
        said = (s for s in self._sources if any(n in s.words or (" " in n and n in s.wording) for n in names))
        return next(said, None)

    def _literally(self, claim: Claim) -> list[Found]:
        name = folded(claim.text).casefold()
        for source in self._sources:
            position = source.wording.find(name)
            if position >= 0:
                return [Found(source, source.place(source.line_of_wording(position)), claim.text)]
        return []

    def _is_explained(self, text: str) -> bool:
        """Whether an abbreviation follows the words that it is made of: ``service level agreement (SLA)``."""
        position = self._wording.find(f"({text.casefold()})")
        if not text.isupper() or position < 0:
            return False
        before = _WORD.findall(self._wording[max(0, position - 120) : position])[-2 * len(text) :]
        initials = "".join(word[0] for word in before if word not in ANY.joining)
        return initials.endswith(text.casefold())

    def _read_line_of_all(self, number: int, words: tuple[str, ...]) -> int:
        """The line of a source on which the block stands that has all the words, or its heading has; 0 if none has."""
        found = [self._lines(number, word) for word in words]
        if not found or not all(found):
            return 0
        rarest = min(found, key=len)
        common = min((block for block in rarest if all(block in lines for lines in found)), default=None)
        return _line_under_heading(self._sources[number], words, found) if common is None else found[-1][common]

    def _read_lines(self, number: int, word: str) -> Mapping[int, int]:
        """The blocks of a source that have a word, with the line in each."""
        source = self._sources[number]
        known = [lines for stem in stems(word) if (lines := source.words.get(stem))]
        lines = reduce(merged_lines, known) if known else {}
        return lines if lines or len(word) < _LEAST_IN_COMPOUND else _lines_of_compounds(source, word.casefold())


def _line_under_heading(source: Source, words: Sequence[str], found: Sequence[Mapping[int, int]]) -> int:
    for line in list(min(found, key=len).values())[:_MOST_PLACES]:
        heading = source.place(line).heading.casefold()
        block = source.place(line).block
        if all(
            block in lines or any(stem in heading for stem in stems(word))
            for word, lines in zip(words, found, strict=True)
        ):
            return line
    return 0


def _lines_of_compounds(source: Source, word: str) -> dict[int, int]:
    """Where a word stands as a part of another, as the museum in ``Heimatmuseum``."""
    lines: dict[int, int] = {}
    position = source.wording.find(word)
    while position >= 0 and len(lines) < _MOST_PLACES:
        line = source.line_of_wording(position)
        lines.setdefault(source.place(line).block, line)
        position = source.wording.find(word, position + 1)
    return lines
