"""Version numbers: one more for another text, the same for the same."""

from __future__ import annotations

from stemma_contracts.v1.values import ArtifactRef

from .state import Section


def next_version(section: Section, draft: ArtifactRef) -> int:
    """One more, but only if the text is another."""
    current = section.current
    if current is None:
        return 1
    return current.number if current.draft.digest == draft.digest else current.number + 1
