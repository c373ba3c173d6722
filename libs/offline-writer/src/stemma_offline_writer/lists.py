"""List items at the indent of the document: one blank behind a marker, nested items below their parent's text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])[ \t]+(?=\S)")


@dataclass(frozen=True)
class _Item:
    """Where an item stood and how far its text stands in now."""

    indent: int
    text_at: int


@dataclass
class Lists:
    """The items that are open while lines come one after the other."""

    open_items: list[_Item] = field(default_factory=list)

    def line(self, line: str) -> str:
        """The line of a list at its place; the list ends at a line that stands outside of it."""
        found = _ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if found is None:
            return self._further(line.strip(), indent) if line.strip() else ""
        while self.open_items and self.open_items[-1].indent >= indent:
            self.open_items.pop()
        at = self.open_items[-1].text_at if self.open_items else 0
        marker = "-" if found.group(2) in "*+-" else found.group(2)
        self.open_items.append(_Item(indent, at + len(marker) + 1))
        return f"{' ' * at}{marker} {line[found.end() :]}"

    def _further(self, text: str, indent: int) -> str:
        """More of an item, at the indent of its text; a line without an indent goes on with it lazily."""
        while len(self.open_items) > 1 and self.open_items[-1].indent >= indent > 0:
            self.open_items.pop()
        at = self.open_items[-1].text_at if self.open_items and indent else 0
        return " " * at + text

    def end(self) -> None:
        """The list is over."""
        self.open_items.clear()
