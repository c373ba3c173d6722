"""Text as it is written: what its messages say beside the words."""

from __future__ import annotations

from collections.abc import Mapping

AT = "Stemma-At"
"""How many characters of the text came before the words of a message; a text that begins anew is at 0 again."""


def place(headers: Mapping[str, str] | None) -> int | None:
    """The place of the words of a message; None where it says none, as in releases before 0.3."""
    told = (headers or {}).get(AT, "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= 9 else None
