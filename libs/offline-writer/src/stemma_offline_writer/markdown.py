"""Quoted words as Markdown that reads the same, and the forms that they are quoted in."""

import re
from collections.abc import Iterable, Sequence

from .material import NO_SPACES, Place

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]|\"'、。」）]+[^\s<>()\[\]|\"'、。」）.,;:!?]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}",
    re.ASCII,
)
_SPECIAL = re.compile(r"[\\`*\[\]<>~{}]|(?<!\w)_|_(?!\w)|&(?=[#\w]{1,32};)")
_ESCAPED = r"\\\g<0>"
_START = re.compile(r"^(?:#|[+>=|-](?=\s|$|[-=])|\d{1,9}(?=[.)](?!\d)))")
_PLACEHOLDER = re.compile(r"\b(?:TODO|TBD)\b|\{\{[^{}\n]*\}\}|\[(?i:insert)\b[^\[\]\n]*\]")
_CLOSING = " .,;:!?。，；：！？"


def in_words(text: str) -> str:
    """What stands open in an input stands open in the document, in words."""
    return _PLACEHOLDER.sub(_said, text)


def _said(found: re.Match[str]) -> str:
    said = found.group().casefold()
    return "to be determined" if said == "tbd" else "to do" if said == "todo" else found.group().strip("{[]} ")


def quoted(text: str) -> str:
    """Plain words as Markdown: nothing in them is taken for markup, addresses are links."""
    text, pieces, at = in_words(text), list[str](), 0
    for address in _ADDRESS.finditer(text):
        pieces += [_SPECIAL.sub(_ESCAPED, text[at : address.start()]), _link(address.group())]
        at = address.end()
    words = "".join([*pieces, _SPECIAL.sub(_ESCAPED, text[at:])])
    return _START.sub(_escaped_start, words)


def _link(address: str) -> str:
    return f"<http://{address}>" if address.startswith("www.") else f"<{address}>"


def _escaped_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


def cited(place: Place) -> str:
    """Where a quotation stands: file and heading; empty for what a person said to the writer."""
    names = ", ".join(filter(None, (place.name, place.heading)))
    return f"({quoted(names)})" if place.name else ""


def paragraph(sentences: Sequence[str], place: Place, *, cite: bool = True) -> str:
    """Sentences that stand together, and where."""
    joint = "" if place.language in NO_SPACES else " "
    return " ".join(filter(None, (joint.join(map(quoted, sentences)), cited(place) if cite else "")))


def bullets(items: Iterable[str], place: Place) -> str:
    """Items of a list, nested ones indented, and where they stand."""
    lines = [f"{item[: len(item) - len(item.lstrip())]}- {quoted(item.lstrip())}" for item in items]
    lines[-1] = " ".join(filter(None, (lines[-1], cited(place))))
    return "\n".join(lines)


def quotation(blocks: Iterable[str]) -> str:
    """Blocks set apart as what somebody else says in his own words."""
    lines = "\n\n".join(blocks).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


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
