"""Names, quotations and references in sources."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, reduce

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.quotations import folded, same_elsewhere
from stemma_evidence.claims.vocabulary import ANY, CAPITALISED, territories, territory_names
from stemma_evidence.lookup.index import Found
from stemma_evidence.sources.source import Source, merged_lines
from stemma_evidence.sources.words import stems

_LEFT_OUT = re.compile(r"\s*(?:\[\.\.\.\]|\(\.\.\.\)|\.\.\.|\[[^\[\]]{0,60}\])\s*")
_NUMBER = re.compile(r"[\w.]+")
_EDGES = " .,;:!?。、"


class QuotedWords:
    """The words of the sources and of the draft's own headings."""

    def __init__(self, sources: tuple[Source, ...], draft: Source, own_words: Iterable[str]) -> None:
        self._sources = sources
        self._draft = draft
        self._titles = {folded(title).casefold() for title in own_words} | draft.titles
        self._files = {source.name.rpartition("/")[2].casefold(): source for source in sources if source.name}

    def places(self, claim: Claim) -> list[Found] | None:
        """Where the words stand; None if they are a title of the document or refer to a place in the draft."""
        if claim.kind == "citation":
            return self._cited(claim)
        words = folded(claim.values[0]).casefold().strip(_EDGES)
        if words in self._titles:
            return None
        pieces = [piece for piece in (p.strip(_EDGES) for p in _LEFT_OUT.split(words)) if piece]
        return self._in_order(claim, pieces)

    def in_a_file_name(self, claim: Claim) -> list[Found]:
        """The file that a claim is a part of the name of, if the draft names the file on the claim's line."""
        words = folded(claim.text).casefold()
        for name, (source, lines) in self._named.items():
            if words in name and claim.line in lines:
                return [Found(source, source.place(1), claim.text)]
        return []

    @cached_property
    def _named(self) -> dict[str, tuple[Source, set[int]]]:
        """The names of files that the draft names, without their endings, and the lines on which it does."""
        found: dict[str, tuple[Source, set[int]]] = {}
        for file, source in self._files.items():
            name = folded(file.rpartition(".")[0] or file).casefold()
            lines, position = set[int](), self._draft.wording.find(name)
            while position >= 0:
                lines.add(self._draft.line_of_wording(position))
                position = self._draft.wording.find(name, position + 1)
            if lines and any(map(str.isdigit, name)):
                found[name] = (source, lines)
        return found

    def _in_order(self, claim: Claim, pieces: list[str]) -> list[Found]:
        for source in self._sources:
            position, first = 0, -1
            for piece in pieces:
                position = source.wording.find(piece, position)
                if position < 0:
                    break
                first = position if first < 0 else first
            else:
                if first >= 0:
                    return [Found(source, source.place(source.line_of_wording(first)), claim.text)]
        return []

    def _cited(self, claim: Claim) -> list[Found] | None:
        value = claim.values[0]
        if file := None if _is_address(value) else self._file(value):
            return [Found(file, file.place(1), claim.text)]
        if value.startswith("["):
            return None if f"{value}:" in self._draft.wording else self._whole(claim, value)
        others = (found for other in same_elsewhere(value) if (found := self._whole(claim, other)))
        own: list[Found] | None = None if value.rpartition(" ")[2] in self._own_numbers else []
        return self._whole(claim, value) or next(others, own)

    def _file(self, value: str) -> Source | None:
        return self._files.get(value.rpartition("/")[2]) or self._file_with_spaces(value)

    def _file_with_spaces(self, value: str) -> Source | None:
        """The file whose name ends in these words, if the draft never writes them without the rest of a name."""
        ends = sorted((name for name in self._spaced if name.endswith(value)), key=len, reverse=True)
        if not ends or not self._draft.wording.count(value):
            return None
        whole = re.findall("|".join(map(re.escape, ends)), self._draft.wording)
        return self._spaced[whole[0]] if len(whole) == self._draft.wording.count(value) else None

    @cached_property
    def _spaced(self) -> dict[str, Source]:
        """The files whose names have spaces, by the folded name."""
        return {folded(name).casefold(): source for name, source in self._files.items() if " " in name}

    @cached_property
    def _own_numbers(self) -> frozenset[str]:
        """The numbers before the headings of the draft."""
        found = map(_NUMBER.match, self._draft.titles)
        return frozenset(number[0].rstrip(".") for number in found if number)

    def _whole(self, claim: Claim, value: str) -> list[Found]:
        words = re.escape(folded(value).casefold())
        pattern = re.compile(rf"(?<!\w){words}(?!\w|[.]\d)" if value[0].isascii() or value[0] == "§" else words)
        for source in self._sources:
            match = pattern.search(source.wording)
            if match:
                return [Found(source, source.place(source.line_of_wording(match.start())), claim.text)]
        return []


def _is_address(value: str) -> bool:
    return "://" in value or "@" in value or value.startswith("www.")


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
