"""What a ledger is read from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A text that demands are read from, in Markdown; ``language`` is a BCP 47 tag.

    ``version`` and ``file`` are those of the input, 0 and empty if they are not known.
    """

    name: str
    text: str
    language: str
    version: int = 0
    file: str = ""
