"""What differs between two texts: the lines that hold a change, and in these the words."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Literal, get_args

from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.views import DocumentView, SectionView, VersionView

from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_markdown import Block, BlockDifference, Conflict, SentenceDifference, SingleChange

    from .client import Client

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Kind(StrEnum):
    """Whether a piece of text is in both texts, or only in one."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True)
class Piece:
    """Some words that are all of one kind."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """Lines that differ, and their words in order; ``moved`` lines stand elsewhere among the others.

    They begin at ``old_line`` and ``new_line`` (the first line of a text is 1); a text that has nothing of them has
    no such line.
    """

    old_line: int | None
    new_line: int | None
    pieces: tuple[Piece, ...]
    moved: bool = False

    def is_at(self, lines: range) -> bool:
        """Whether it changes some of these lines of the old text."""
        if self.old_line is None:
            return False
        gone = _line_ends([piece for piece in self.pieces if piece.text.strip()], Kind.REMOVED)
        return self.old_line < lines.stop and lines.start <= self.old_line + gone

    def words(self, kind: Kind) -> int:
        """How many words of it are of a kind."""
        return sum(len(piece.text.split()) for piece in self.pieces if piece.kind is kind)


def differences(old: str, new: str, language: str = "en") -> tuple[Change, ...]:
    """The changes that turn one text into the other, in their order; blank lines between blocks are none.

    ``language`` is the BCP 47 tag of both texts.
    """
    # Most verbs compare nothing, and what reads Markdown takes long to load.
    import stemma_markdown

    return changes_of(stemma_markdown.differences(old, new, language))


def touching(changes: Sequence[Change], old: str, marks: Collection[str], language: str) -> tuple[Change, ...]:
    """The changes of what has one of the marks in the old text; all of them if none has, or none is told."""
    from stemma_markdown import marked

    places = [
        range(one.line, one.line + one.text.strip().count("\n") + 1)
        for one in (marked(old, language) if marks else ())
        if not {one.mark, one.below, one.after, *one.facts.values(), *one.alone.values()}.isdisjoint(marks)
    ]
    return tuple(change for change in changes if any(change.is_at(place) for place in places)) or tuple(changes)


def changes_of(blocks: Iterable[BlockDifference]) -> tuple[Change, ...]:
    """The changes of two texts whose blocks are compared already."""
    return tuple(change for block in blocks for change in _changes(block))


def _changes(block: BlockDifference) -> Iterator[Change]:
    old, new = block.old, block.new
    if old is None or new is None:
        if old is not None:
            yield Change(old.line, None, tuple(_piece(Kind.REMOVED, old.content)))
        if new is not None:
            yield Change(None, new.line, tuple(_piece(Kind.ADDED, new.content)))
    elif block.moved:
        yield Change(old.line, new.line, _joined(_words(old, new, block.sentences)), moved=True)
    else:
        yield from _by_lines(_words(old, new, block.sentences), old.line, new.line)


def _words(old: Block, new: Block, sentences: Sequence[SentenceDifference]) -> Iterator[Piece]:
    """All words of both blocks in order: what lies between two differences is the same in both."""
    in_old, in_new = old.start, new.start
    from stemma_markdown import replaced

    for gone, come in replaced(sentences):
        same = gone.start - in_old if gone else come.start - in_new if come else 0
        yield from _piece(Kind.SAME, new.content[in_new - new.start : in_new - new.start + same])
        yield from _piece(Kind.REMOVED, gone.text if gone else "")
        yield from _piece(Kind.ADDED, come.text if come else "")
        in_old, in_new = gone.end if gone else in_old + same, come.end if come else in_new + same
    yield from _piece(Kind.SAME, new.content[in_new - new.start :])


def _piece(kind: Kind, text: str) -> Iterator[Piece]:
    if text:
        yield Piece(kind, text)


def _by_lines(pieces: Iterable[Piece], old_line: int, new_line: int) -> Iterator[Change]:
    """The lines that hold a change; those that follow one another are one change."""
    for changed, lines in groupby(_lines(pieces), key=_differs):
        passed = [piece for line in lines for piece in line]
        if changed:
            yield Change(old_line, new_line, _joined(passed))
        old_line += _line_ends(passed, Kind.REMOVED)
        new_line += _line_ends(passed, Kind.ADDED)


def _lines(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    for piece in pieces:
        texts = _LINE.findall(piece.text) if piece.kind is Kind.SAME else [piece.text]
        for text in texts:
            line.append(Piece(piece.kind, text))
            if text[-1] in "\r\n":
                yield line
                line = []
    if line:
        yield line


def _differs(pieces: Sequence[Piece]) -> bool:
    return any(piece.kind is not Kind.SAME for piece in pieces)


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    kinds = groupby(pieces, key=lambda piece: piece.kind)
    return tuple(Piece(kind, "".join(piece.text for piece in same)) for kind, same in kinds)


def _line_ends(pieces: Iterable[Piece], kind: Kind) -> int:
    """How many lines end in the pieces of one side: in those of a kind, and in those that both sides have."""
    return sum(len(_LINE_END.findall(piece.text)) for piece in pieces if piece.kind in (Kind.SAME, kind))


@dataclass(frozen=True)
class Meanwhile:
    """A version that came meanwhile, and ``text``, which has what it changed merged into the other text.

    ``changes`` are its own; where both changed the same, ``conflicts`` say so, and the other text stays.
    """

    version: VersionView
    text: str
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


async def meanwhile(
    client: Client, document: DocumentView, section: SectionView, text: str, version: int
) -> Meanwhile | None:
    """What came since the version that a text was made of; None if that one is current.

    Line ends are those of Unix. Raises `InvalidInputError` for a version that never was.
    """
    # Most verbs merge nothing, and what reads Markdown takes long to load.
    from stemma_markdown import merge

    newest = section.current
    if newest is None or version == newest.number:
        return None
    base = await _text(client, document, _version_of(section, version)) if version else ""
    theirs = await _text(client, document, newest)
    found = await client.compute(merge, base, text, theirs, document.language)
    changes = await client.compute(differences, base, theirs, document.language)
    return Meanwhile(newest, found.text, changes, found.conflicts)


def _version_of(section: SectionView, number: int) -> VersionView:
    if (version := section.numbered(number)) is None:
        raise InvalidInputError.of("version_unknown", "version", section_id=section.section_id, version=number)
    return version


async def _text(client: Client, document: DocumentView, version: VersionView) -> str:
    text = await client.stored_text(document.document_id, version.draft)
    return (text or "").replace("\r\n", "\n")


def placed_changes(
    old: str, new: str, language: str = "en"
) -> tuple[tuple[tuple[Change, tuple[Piece | int, ...]], ...], tuple[SingleChange, ...]]:
    """The changes of two texts with the single changes that stand in them, as `placed` has it, and these."""
    import stemma_markdown

    blocks = stemma_markdown.differences(old, new, language)
    singles = stemma_markdown.single_changes_of(old, new, blocks)
    return placed(changes_of(blocks), singles), singles


def placed(
    changes: Sequence[Change], singles: Sequence[SingleChange]
) -> tuple[tuple[Change, tuple[Piece | int, ...]], ...]:
    """The changes of two texts, in each its words in order, and where a single change stands its number.

    Words that are in no single change, such as those of a block that moved, stand there as they are.
    """
    rest = deque(enumerate(singles))
    return tuple((change, tuple(_numbered(change, rest))) for change in changes)


def _numbered(change: Change, rest: deque[tuple[int, SingleChange]]) -> Iterator[Piece | int]:
    for is_same, pieces in groupby(change.pieces, key=lambda piece: piece.kind is Kind.SAME):
        run = list(pieces)
        numbers = None if is_same else _taken(run, rest)
        yield from run if numbers is None else numbers


def _taken(run: Sequence[Piece], rest: deque[tuple[int, SingleChange]]) -> list[int] | None:
    """The single changes that are these words, taken off the rest; None if they are none."""
    wanted = [_letters(piece.text for piece in run if piece.kind is kind) for kind in (Kind.REMOVED, Kind.ADDED)]
    at = [0, 0]
    for count, (_, single) in enumerate(rest, 1):
        for side, letters in enumerate((_letters([single.removed]), _letters([single.added]))):
            if not wanted[side].startswith(letters, at[side]):
                return None
            at[side] += len(letters)
        if at == [len(letters) for letters in wanted]:
            return [rest.popleft()[0] for _ in range(count)]
    return None


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


Choice = Literal["ours", "theirs", "both"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
_ITEM = re.compile(r"[-*+] |\d{1,9}[.)] |\|")


async def conflicts_of(client: Client, document_id: str, version: VersionView | None) -> tuple[MergeConflict, ...]:
    """The open conflicts of a version, in the order of its text."""
    return await conflicts_in(client, document_id, version.merge if version else None)


async def conflicts_in(client: Client, document_id: str, merge: Merge | None) -> tuple[MergeConflict, ...]:
    """The conflicts of a merge, also of that of a proposed edit."""
    if merge is None or merge.conflicts is None:
        return ()
    body = await client.text(document_id, merge.conflicts)
    return MergeConflicts.model_validate_json(body).conflicts


def settled(text: str, conflicts: Sequence[MergeConflict], choices: Iterable[str]) -> str:
    """The text with what is chosen at each conflict. Raises `InvalidInputError` unless there is one choice for each."""
    chosen = list(choices)
    if len(chosen) != len(conflicts) or not set(chosen) <= set(CHOICES):
        raise InvalidInputError(f"give one of {', '.join(CHOICES)} for each of the {len(conflicts)} conflicts")
    pieces, at = list[str](), 0
    for conflict, choice in zip(conflicts, chosen, strict=True):
        pieces += [text[at : conflict.start], _said(text, conflict, choice)]
        at = conflict.end
    return "".join([*pieces, text[at:]])


def _said(text: str, conflict: MergeConflict, choice: str) -> str:
    ours, theirs = conflict.ours, conflict.theirs
    if choice == "ours" or not theirs.strip():
        return "" if choice == "theirs" else ours
    if not ours.strip():
        return _put_in(text, conflict)
    return theirs if choice == "theirs" else f"{ours}{_between(ours, theirs, _is_whole(text, conflict))}{theirs}"


def _put_in(text: str, conflict: MergeConflict) -> str:
    """What a person had deleted, at its place again: apart from what stands before and after it."""
    before, after = text[: conflict.start].rstrip(), text[conflict.end :].lstrip()
    begins = not conflict.start or text[conflict.start - 1] in "\r\n"
    lead = _between(before, conflict.theirs, begins) if before else ""
    trail = _between(conflict.theirs, after, begins) if after else ""
    missing = len(text[: conflict.start]) - len(before)
    return f"{lead[missing:]}{conflict.theirs}{trail[len(text[conflict.end :]) - len(after) :]}"


def _between(one: str, other: str, are_whole: bool) -> str:
    """What keeps two sentences, two items of a list or two blocks apart."""
    if not are_whole:
        return " "
    last = one.rstrip().rsplit("\n", 1)[-1]
    return "\n" if _ITEM.match(last.lstrip()) and _ITEM.match(other.lstrip()) else "\n\n"


def _is_whole(text: str, conflict: MergeConflict) -> bool:
    """Whether lines of their own are in dispute, and not a sentence in one."""
    begins = not conflict.start or text[conflict.start - 1] in "\r\n"
    return begins and (conflict.end == len(text) or text[conflict.end] in "\r\n")
