"""Inputs as passages: taken apart, and chosen for a section where not all of them fit its prompt."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from urllib.parse import unquote, urlsplit

from stemma_contracts.v1.inputs import Anchor
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import Collected
from stemma_evidence import Claim, FullText, Labels, claims, query_words
from stemma_evidence.requirements import deadlines
from stemma_languages import detect
from stemma_markdown import Document, with_prose_of_front_matter

PASSAGE_CHARS = 1200
MOST_PLACES = 3
HEADING_CHARS = 200
"""Of a heading that each of its passages is found by; whole it stands in the first of them."""

_BASE = re.compile(r"\{\{[^{}\n]{0,200}\}\}/*")
"""The address of a site as its templates write it, such as ``{{ site.baseurl }}/``: here it is the input folder."""
_NO_CONTENT = frozenset({"blank", "definition", "front_matter"})


@dataclass(frozen=True)
class Passage:
    """A piece of one input: whole blocks that stand together, and how the heading above them begins.

    ``place`` is what they are cited by in the file, such as ``p. 12``; empty if that is not known. ``lines`` are those
    of the file that the blocks begin in.
    """

    source: str
    position: int
    heading: str
    text: str
    place: str = ""
    lines: tuple[int, ...] = ()
    path: tuple[str, ...] = ()
    """The headings that it stands under, the outermost first."""
    head: str = ""
    """Of a piece that goes on with the table of the passage before: the rows that say what its columns are."""

    @property
    def alone(self) -> str:
        """The text where nothing of the file stands before it."""
        return f"{self.head}\n{self.text}" if self.head else self.text

    @property
    def above(self) -> str:
        """The headings that it stands under and does not open with."""
        return " > ".join(heading for heading in self.path if heading not in self.text[: 3 * HEADING_CHARS])


@dataclass(frozen=True)
class ImageUse:
    """An image as an input refers to it; ``name`` is the path inside the input folder."""

    name: str
    alt: str


@dataclass(frozen=True)
class SourceDocument:
    """A Markdown input, taken apart."""

    name: str
    passages: tuple[Passage, ...]
    images: tuple[ImageUse, ...]


def read_source(name: str, text: str, anchors: Sequence[Anchor] = ()) -> SourceDocument:
    """Take one Markdown input apart; ``name`` is its path inside the input folder."""
    document = Document(with_prose_of_front_matter(text))
    labels = Labels(text, anchors=anchors) if anchors else None
    return SourceDocument(name, tuple(_passages(name, document, labels)), tuple(_images(name, document)))


def _passages(name: str, document: Document, labels: Labels | None) -> Iterator[Passage]:
    headings = {heading.line: heading for heading in document.headings}
    above, place, held, lines = dict[int, str](), "", list[str](), list[int]()
    position, has_words = 0, False

    def passage() -> Passage:
        path = tuple(above.values())
        return Passage(name, position, path[-1] if path else "", "\n\n".join(held), place, tuple(lines), path)

    for block in document.blocks:
        if block.kind in _NO_CONTENT:
            continue
        content = block.content.strip("\r\n")
        there = _place(block.line, content, labels) if labels else ""
        starts = headings.get(block.line) if block.kind == "heading" else None
        length = sum(map(len, held))
        is_full = has_words and (starts or length + len(content) > PASSAGE_CHARS)
        if held and (is_full or there != place or length > PASSAGE_CHARS):
            yield passage()
            position, held, lines, has_words = position + 1, [], [], False
        place = there
        if starts:
            above = {level: text for level, text in above.items() if level < starts.level}
            above[starts.level] = starts.text[:HEADING_CHARS]
        has_words = has_words or not starts
        held.append(content)
        lines.append(block.line)
    if held:
        yield passage()


def _place(line: int, content: str, labels: Labels) -> str:
    """What a block is cited by; of one that is at many places, such as a long table, the first and the last."""
    found = labels.within(line, line + content.count("\n"))
    return "; ".join(found if len(found) <= MOST_PLACES else (found[0], "...", found[-1]))


def _images(name: str, document: Document) -> Iterator[ImageUse]:
    """Every image in its place; one without a description of its own is described by the heading above it."""
    lines = [heading.line for heading in document.headings]
    for image in document.images:
        above = bisect_right(lines, image.line)
        heading = document.headings[above - 1].text[:HEADING_CHARS] if above else ""
        yield ImageUse(resolve(name, image.target), image.description.strip() or heading)


def resolve(document: str, reference: str) -> str:
    """The path inside the input folder that a reference means; ``""`` for an address elsewhere or a folder."""
    parts = urlsplit(reference) if "\x00" not in reference and "[" not in reference else urlsplit("x:")
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or posixpath.basename(path) in ("", ".", ".."):
        return ""
    based = _BASE.match(path)
    folder = "" if based else posixpath.dirname(document)
    return posixpath.normpath(posixpath.join(folder, path[based.end() :] if based else path))


REQUEST = "request"
MOST_QUERIES = 300
STEEPNESS = 1.5
"""How much less the second of a ranking counts than its first."""
MOST_BEARING = 12
WORDS_LEFT = 1 / 3
"""Of the words of a statement that passages share with it, how many those that bear on it may lack."""
MOST_READ = 1000
"""Passages, the nearest ones, that are looked through for what a section collects."""
_ENTRY = re.compile(
    r"(?:(?<!\.)\.{3}|…|·{3}|\t|(?<![ ])[ ]{3}|\|)[ .]*+\d{1,4}[ ]*+\|?[ ]*+$"
    r"|^\s*+[-*+\d.]*+\s*+\[[^]\n]*\]\(#[^)\n]*\)\s*$"
)
FEWEST_ENTRIES = 4
MOST_PIECES_OF_A_TABLE = 6
_TIME = frozenset({"day", "week", "month", "quarter", "year"})
_COLLECTS: dict[Collected, Callable[[Claim], bool]] = {
    "amounts": lambda claim: claim.kind == "amount",
    "dates": lambda claim: claim.kind == "date" or not _TIME.isdisjoint(claim.units),
    "figures": lambda claim: claim.kind in ("amount", "quantity"),
    "people": lambda claim: claim.kind == "name",
}


@dataclass(frozen=True)
class Image:
    name: str
    alt: str


def words_of(file: InputFile) -> str:
    """Whose words an input holds, as the tag of its blocks: the buyer's are told apart from ours."""
    match file.used_as:
        case "request" | "form":
            return REQUEST
        case "internal" | "price" as role:
            return role
        case _:
            return "evidence"


def size_of(passages: Iterable[Passage]) -> int:
    """Bytes, because a character of a script without spaces is a token or more."""
    return sum(len(passage.text.encode()) for passage in passages)


class Corpus:
    """Passages of all inputs, ranked by BM25; images that the inputs refer to and that were supplied."""

    def __init__(
        self, documents: Sequence[SourceDocument], supplied: Iterable[str], tags: Mapping[str, str] | None = None
    ) -> None:
        self._tags = tags or {}
        self.passages = [passage for document in documents for passage in _with_pieces(document.passages)]
        self._order = {passage: number for number, passage in enumerate(self.passages)}
        own = [document for document in documents if self._tags.get(document.name) != REQUEST]
        self.images = _known_images(own, frozenset(supplied))
        self.size = size_of(self.passages)
        self._claims: dict[int, tuple[Claim, ...]] = {}

    def tag_of(self, passage: Passage) -> str:
        """Whose words a passage is."""
        return self._tags.get(passage.source, "evidence")

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the inputs are in."""
        return frozenset(self._language.values())

    def search(self, *queries: str) -> list[Passage]:
        """The passages that share a word with a query, best first: the rankings of all queries are joined."""
        return [self.passages[number] for number in _joined(self._index.ranked(query) for query in queries)]

    def bearing_on(self, statement: str) -> list[Passage]:
        """The fewest of the nearest passages that have the figures of a statement and most of its other words."""
        nearest = [self.passages[number] for number in self._index.ranked(statement)[:MOST_BEARING]]
        words = [frozenset(query_words(one.alone, self._language[one.source])) for one in nearest]
        known_there = frozenset[str]().union(*words)
        left = {word for tag in self.languages for word in query_words(statement, tag)} & known_there
        most_left, chosen = len(left) * WORDS_LEFT, list[Passage]()
        for passage, known in zip(nearest, words, strict=True):
            if len(left) <= most_left and not any(map(_has_digit, left)):
                break
            if left & known:
                chosen.append(passage)
                left -= known
        return chosen

    def select(
        self,
        queries: Sequence[str],
        limit: int,
        without: Collection[Passage] = (),
        collects: Collection[Collected] = (),
        near: Iterable[Sequence[int]] = (),
    ) -> list[Passage]:
        """The best passages for some queries that fit into ``limit`` bytes, in reading order.

        ``near`` are further rankings of the passages, joined with those by words.
        Neither the buyer's words nor ours take more than half, unless the others need less. Tables of contents are
        none of them.
        """
        known = frozenset(without)
        ranked = self._ranked(queries[:MOST_QUERIES], collects, near)
        best = [one for number in ranked for one in self._with_table(number)]
        found = [one for one in dict.fromkeys(best + self.passages) if one not in known and not is_contents(one.text)]
        asked = [passage for passage in found if self.tag_of(passage) == REQUEST]
        own = [passage for passage in found if self.tag_of(passage) != REQUEST]
        sizes = [size_of(each) for each in (own, asked)]
        rooms = [max(limit // 2, limit - other) for other in reversed(sizes)]
        chosen = [*_fitting(own, rooms[0]), *_fitting(asked, rooms[1])]
        return sorted(chosen, key=self._order.__getitem__)

    def _with_table(self, number: int) -> list[Passage]:
        """A passage, and the rest of the table that it begins."""
        first, *later = self.passages[number : number + MOST_PIECES_OF_A_TABLE]
        return [first, *takewhile(lambda one: one.head and one.source == first.source, later)]

    def _ranked(
        self, queries: Sequence[str], collects: Collection[Collected], nearest: Iterable[Sequence[int]]
    ) -> list[int]:
        by_words = [*map(self._index.ranked, queries), *nearest]
        near = _joined(by_words)
        near = list(dict.fromkeys([*near, *range(len(self.passages))]))[:MOST_READ]
        by_kind = [[one for one in near if self._holds(one, kind)] for kind in collects if kind in _COLLECTS]
        if "dates" in collects:
            by_kind.append([one for one in near if self._has_deadline(one)])
        return _joined([*by_words, *by_kind, *by_kind])

    def _holds(self, number: int, kind: Collected) -> bool:
        """Whether a passage states something of a kind."""
        if number not in self._claims:
            passage = self.passages[number]
            self._claims[number] = claims(passage.text, self._language[passage.source], of_draft=False)
        return any(map(_COLLECTS[kind], self._claims[number]))

    def _has_deadline(self, number: int) -> bool:
        passage = self.passages[number]
        return self.tag_of(passage) == REQUEST and any(deadlines(passage.text, self._language[passage.source]))

    @cached_property
    def _index(self) -> FullText:
        rows = [
            (self._language[one.source], (one.heading, " ".join(one.path[:-1]), one.alone)) for one in self.passages
        ]
        return FullText(rows, weights=(6, 2, 1))

    @cached_property
    def _language(self) -> dict[str, str]:
        texts = defaultdict[str, list[str]](list)
        for passage in self.passages:
            texts[passage.source].append(passage.text)
        return {name: detect("\n\n".join(pieces[:50])) for name, pieces in texts.items()}


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _joined(rankings: Iterable[Sequence[int]]) -> list[int]:
    """One ranking of several, by reciprocal ranks: the first of one counts more than the middle of many."""
    scores = defaultdict[int, float](float)
    for ranking in rankings:
        for rank, number in enumerate(ranking, 1):
            scores[number] += rank**-STEEPNESS
    return sorted(scores, key=lambda number: (-scores[number], number))


def is_contents(text: str) -> bool:
    """Whether a passage is a piece of a table of contents: most of its lines end in a page, or lead to a heading."""
    lines = [line for line in text.split("\n") if line.strip()]
    entries = sum(_ENTRY.search(line[-300:]) is not None for line in lines)
    return entries >= max(FEWEST_ENTRIES, 0.7 * len(lines)) and not any(map(_is_rule_of_table, lines))


def _is_rule_of_table(line: str) -> bool:
    return "|" in line and "-" in line and set(line) <= set("|-: ")


def _with_pieces(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages, long tables as pieces that have their head."""
    for position, piece in enumerate(piece for passage in passages for piece in _pieces(passage)):
        yield replace(piece, position=position)


def _pieces(passage: Passage) -> Iterator[Passage]:
    lines = passage.text.split("\n")
    rule = next((at for at, line in enumerate(lines) if at and _is_rule_of_table(line)), 0)
    if len(passage.text) <= PASSAGE_CHARS or not rule:
        yield passage
        return
    head, held = "\n".join(lines[rule - 1 : rule + 1]), lines[: rule + 1]
    length = len("\n".join(held)) + 1
    for row in lines[rule + 1 :]:
        if held and length + len(row) > PASSAGE_CHARS:
            yield replace(passage, text="\n".join(held))
            passage, held, length = replace(passage, head=head), [], 0
        held.append(row)
        length += len(row) + 1
    yield replace(passage, text="\n".join(held))


def _fitting(passages: Iterable[Passage], limit: int) -> Iterator[Passage]:
    for passage in passages:
        if (size := size_of([passage])) <= limit:
            limit -= size
            yield passage


def _known_images(documents: Iterable[SourceDocument], supplied: frozenset[str]) -> tuple[Image, ...]:
    uses: list[ImageUse] = [use for document in documents for use in document.images if use.name in supplied]
    return tuple({use.name: Image(use.name, " ".join(use.alt.split())) for use in reversed(uses)}.values())[::-1]
