"""What a version of an input changed in the one before, block by block, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stemma_contracts.v1.inputs import ChangedPart, InputChanges
from stemma_markdown import BlockDifference, Document, changed_parts, differences, parts

MOST_BLOCKS = 200
WHOLE_CHARACTERS = 600
MOST_CHARACTERS = 2_000
"""Of one side of a block: of a longer one, such as a table, what changed in it is told."""


def changes_of(before: str, after: str, *, by_line: bool) -> InputChanges:
    """The blocks that changed, as many as fit; values in lines are compared line by line."""
    changed = list(_by_line(before, after) if by_line else _by_block(before, after))
    return InputChanges(changed=tuple(changed[:MOST_BLOCKS]), left_off=max(0, len(changed) - MOST_BLOCKS))


def _by_line(before: str, after: str) -> Iterator[ChangedPart]:
    old, new = parts(before, by_line=True), parts(after, by_line=True)
    gone, kept = set(changed_parts(old, new)), {part.fingerprint for part in new}
    known = {part.fingerprint for part in old}
    for part in old:
        if part.fingerprint in gone and part.fingerprint not in kept:
            yield ChangedPart(before=part.text[:MOST_CHARACTERS], line=part.line)
    for part in new:
        if part.fingerprint not in known:
            yield ChangedPart(after=part.text[:MOST_CHARACTERS], line=part.line)


def _by_block(before: str, after: str) -> Iterator[ChangedPart]:
    headings = [(heading.line, heading.text) for heading in Document(after).headings]
    for found in differences(before, after):
        told = _told(found, headings)
        if told is not None:
            yield told


def _told(found: BlockDifference, headings: list[tuple[int, str]]) -> ChangedPart | None:
    """A block that moved, or only looks otherwise, is no change of what is said."""
    old, new = found.old, found.new
    if found.change == "moved" or (old and new and _says(old.content) == _says(new.content)):
        return None
    line = new.line if new else old.line if old else 0
    above = next((text for at, text in reversed(headings) if new and at <= line), "")
    return ChangedPart(
        before=_side(old.content if old else "", (one.old.text for one in found.sentences if one.old)),
        after=_side(new.content if new else "", (one.new.text for one in found.sentences if one.new)),
        heading=above[:200],
        line=line,
    )


def _says(text: str) -> list[str]:
    return [part.fingerprint for part in parts(text)]


def _side(content: str, changed: Iterable[str]) -> str:
    """A short block whole, of a longer one its sentences and rows that changed."""
    if len(content) <= WHOLE_CHARACTERS:
        return content.strip()
    return ("\n".join(text.strip() for text in changed) or content)[:MOST_CHARACTERS].strip()
