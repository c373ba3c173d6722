"""Whether a revision did what was asked: what the prepared process imports, and nothing of models or of the bus."""

from typing import NamedTuple

from .demands import demand_of, unmet
from .drafts import split_draft
from .reporting import changes_between, summary_of


class Judged(NamedTuple):
    """What changed, in words, and why it is refused; no reason if it is not."""

    summary: str
    reason: str


def prepare() -> None:
    """Read what the first text would read."""
    split_draft("# A\n\nA word. Another.\n")
    judged("A word. Another.", "A word. Other.", "Mention other", "en", None)


def judged(old: str, new: str, instruction: str, language: str, refused: str | None) -> Judged:
    """The judgement of a revision; the difference decides, not what the model says of it."""
    changes = changes_between(old, new, language)
    if not changes:
        return Judged("", refused or "The editor changed nothing in the draft.")
    reason = unmet(demand_of(instruction, language), old, new, changes, language)
    if reason:
        reason = f"The editor made another change than was asked for: {reason}. It was not taken."
    return Judged(summary_of(changes), reason)
