"""What a place of a document stands under and beside."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Around:
    """The heading and the text above a place, and the row and the column of its table."""

    place: str
    heading: str = ""
    above: str = ""
    row: str = ""
    column: str = ""

    @property
    def asked(self) -> str:
        """What is asked in a place that has no words of its own."""
        if self.row and self.column and self.column not in self.row:
            return f"{self.row} ({self.column})"
        return self.row or self.column or self.above
