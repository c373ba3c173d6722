"""Work on inputs and drafts that takes longer than an event loop, or a thread that nobody can end, may have."""

from __future__ import annotations

from stemma_confinement import Limits, Prepared
from stemma_confinement.computing import Computing
from stemma_evidence import InputText, coverage

LIMITS = Limits(seconds=300, memory_mb=4096)
AT_ONCE = 4


def prepare() -> None:
    """Read what the first text would read."""
    coverage([InputText("a.md", "A word. Another.")], "A word. Other.", [])


# One for all calls of this process; it starts with the first long text.
_prepared = Prepared(prepare)


def computing(limits: Limits = LIMITS) -> Computing:
    """The calls of one library."""
    return Computing(_prepared, limits, AT_ONCE)
