"""What keeps a checkpointer from being used, and the one way to say so."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

SETUP: Final = "run stemma-generation-graph --setup"
ONE_SUCCESSOR: Final = "stemma_one_successor"


class CheckpointsUnusable(RuntimeError):
    """The checkpointer cannot be used as it is; refuses the start."""


def cannot_set_up(error: Exception, settings: str) -> CheckpointsUnusable:
    """The refusal for a database without which ``--setup`` can do nothing; the error's own words may hold a secret."""
    why = f"the checkpointer's database cannot be reached or written ({type(error).__name__})"
    return CheckpointsUnusable(f"{why}; see to it and to {settings}, then run --setup again")


def require(names: Set[str], found: Set[str]) -> None:
    """Raises `CheckpointsUnusable` that lists what is missing."""
    if missing := ", ".join(sorted(names - found)):
        raise CheckpointsUnusable(f"checkpointer tables are missing ({missing}): {SETUP}")
