"""What comments suggest in the place of their passages, as their section shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stemma_client.comments import ReadThread, replaceable, suggestion_in
from stemma_contracts.v1.views import SectionView

from .verbs import BY_NAME


@dataclass(frozen=True)
class Replacement:
    """What a comment suggests: ``old`` is what of the text it replaces, None where it cannot be put there."""

    old: str | None
    new: str
    said: str


def replacements(text: str, section: SectionView, threads: Iterable[ReadThread]) -> Mapping[str, Replacement]:
    """The suggestions in the threads of a section, by their comments."""
    is_open = BY_NAME["edit"].is_open(section)
    found = {}
    for thread in threads:
        place = place_of(text, thread) if is_open and not thread.view.resolved else None
        for comment in thread.comments:
            if thread.quote and comment.text and (suggestion := suggestion_in(comment.text)):
                old = text[slice(*place)] if place else None
                found[comment.view.comment_id] = Replacement(old, suggestion.words, suggestion.said)
    return found


def place_of(text: str, thread: ReadThread) -> tuple[int, int] | None:
    """What of a text is replaced if a suggestion in a thread is accepted; None where its passage is not in it."""
    if thread.start is None or thread.end is None:
        return None
    return replaceable(text, thread.start, thread.end)
