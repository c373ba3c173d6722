"""What keeps a checkpointer from being used, and the one way to say so."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

SETUP: Final = "run stemma-generation-graph --setup"
ONE_SUCCESSOR: Final = "stemma_one_successor"


class CheckpointsUnusable(RuntimeError):
    """The checkpointer cannot be used as it is; refuses the start."""


def require(names: Set[str], found: Set[str]) -> None:
    """Raises `CheckpointsUnusable` that lists what is missing."""
    if missing := ", ".join(sorted(names - found)):
        raise CheckpointsUnusable(f"checkpointer tables are missing ({missing}): {SETUP}")
