"""Quoted words as Markdown that reads the same, and the forms that they are quoted in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .material import Place

NO_SPACES = ("ja", "zh")

_ADDRESS = re.compile(
    r"https?://[^\s<>()\[\]|\"'、。」）]+[^\s<>()\[\]|\"'、。」）.,;:!?]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}",
    re.ASCII,
)
_SPECIAL = re.compile(r"[\\`*\[\]<>~{}]|(?<!\w)_|_(?!\w)|&(?=[#\w]{1,32};)")
_START = re.compile(r"^(?:[#+>=|-](?=\s|$|[-=])|\d{1,9}(?=[.)](?:\s|$)))")
_CLOSING = " .,;:!?。，；：！？"


def quoted(text: str) -> str:
    """Plain words as Markdown: nothing in them is taken for markup, addresses are links."""
    pieces, at = list[str](), 0
    for address in _ADDRESS.finditer(text):
        pieces += [_SPECIAL.sub(r"\\\g<0>", text[at : address.start()]), f"<{address.group()}>"]
        at = address.end()
    words = "".join([*pieces, _SPECIAL.sub(r"\\\g<0>", text[at:])])
    return _START.sub(_escaped_start, words)


def _escaped_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


def cited(place: Place) -> str:
    """Where a quotation stands: file and heading; empty for what a person said to the writer."""
    names = ", ".join(filter(None, (place.name, place.heading)))
    return f"({quoted(names)})" if place.name else ""


def paragraph(sentences: Sequence[str], place: Place, language: str) -> str:
    """Sentences that stand together, and where."""
    joint = "" if language in NO_SPACES else " "
    return " ".join(filter(None, (joint.join(map(quoted, sentences)), cited(place))))


def bullets(items: Iterable[str], place: Place) -> str:
    """Items of a list, and where they stand."""
    lines = [f"- {quoted(item)}" for item in items]
    lines[-1] = " ".join(filter(None, (lines[-1], cited(place))))
    return "\n".join(lines)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> str:
    """A table below its caption."""
    lines = [_row(map(_cell, head)), _row(["---"] * len(head)), *(_row(map(_cell, row)) for row in rows)]
    return f"{label}: {quoted(caption)}\n\n" + "\n".join(lines)


def heading(text: str) -> str:
    """Words that can be a heading: one line without closing punctuation."""
    return quoted(" ".join(text.split()).lstrip("# ").rstrip(_CLOSING))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return quoted(" ".join(text.split())).replace("|", "\\|")
