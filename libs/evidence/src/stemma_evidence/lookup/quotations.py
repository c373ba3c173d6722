"""Quotations and references in sources, word for word."""

import re
from collections.abc import Iterable
from functools import cached_property

from stemma_evidence.claims.claim import Claim
from stemma_evidence.claims.quotations import folded, same_elsewhere
from stemma_evidence.sources.source import Source

from .index import Found

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
