"""What an editor changed, told from the difference of the two texts: nothing that the text does not show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from stemma_markdown import Block, BlockDifference, differences, plain

MAX_LINES = 12
MAX_QUOTED = 160


@dataclass(frozen=True)
class Change:
    """A heading, sentence, cell or block that was added, removed, changed or moved; what it was and what it is."""

    how: Literal["added", "removed", "changed", "moved"]
    what: str
    old: str
    new: str

    @property
    def words(self) -> str:
        """The change in a line."""
        match self.how:
            case "added":
                return f"{self.what} added: {_quoted(self.new)}"
            case "removed":
                return f"{self.what} removed: {_quoted(self.old)}"
            case "moved":
                return f"{self.what} moved: {_quoted(self.new)}"
            case "changed":
                return f"{self.what} changed: {_quoted(self.old)} is now {_quoted(self.new)}"


def changes_between(old: str, new: str, language: str) -> tuple[Change, ...]:
    """The changes of a text, sentence by sentence where a block is in both."""
    found = (change for difference in differences(old, new, language) for change in _changes(difference))
    return tuple(change for change in found if change.how != "changed" or change.old.split() != change.new.split())


def summary_of(changes: Sequence[Change]) -> str:
    """The changes in words, a line each; of many the first ones, and how many there are."""
    lines = [change.words for change in changes[:MAX_LINES]]
    if len(changes) > MAX_LINES:
        lines.append(f"and {len(changes) - MAX_LINES} more changes")
    return "\n".join(lines)


def _changes(found: BlockDifference) -> Iterator[Change]:
    block = found.new or found.old
    assert block is not None
    if found.change == "changed" and not _is_heading(block):
        for sentence in found.sentences:
            old, new = sentence.old, sentence.new
            yield Change(sentence.change, _SENTENCES.get(block.kind, "Sentence"), *_texts(old, new))
        return
    yield Change(found.change, _name_of(block), *_texts(found.old, found.new))


_SENTENCES = {"table": "Table row", "code": "Line", "html": "Line", "definition": "Line", "front_matter": "Line"}


def _is_heading(block: Block) -> bool:
    return block.kind == "heading"


def _name_of(block: Block) -> str:
    return block.kind.replace("_", " ").capitalize()


def _texts(old: object, new: object) -> tuple[str, str]:
    return getattr(old, "text", ""), getattr(new, "text", "")


def _quoted(text: str) -> str:
    words = " ".join(plain(text).split()) or " ".join(text.split())
    return f"“{words if len(words) <= MAX_QUOTED else words[: MAX_QUOTED - 1] + '…'}”"
