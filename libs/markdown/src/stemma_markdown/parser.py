"""pulldown-cmark as all of Stemma uses it: it reads any text in linear time and tells where everything stands."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, cast

from pyromark import Options, events_with_range

from .lines import Lines

Event = str | dict[str, Any]
"""As `pyromark.event` describes it: the name of a break or a rule, or one name with what belongs to it."""

_OPTIONS = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_STRIKETHROUGH
_BEGINS_CHARACTER = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))


def events(lines: Lines, *, math: bool = False) -> Iterator[tuple[Event, int, int]]:
    """What the parser tells of a source, with the range of each event in characters; nothing of front matter."""
    text = lines.readable[lines.content_start :]
    places = _places(text, lines.content_start)
    options = _OPTIONS | Options.ENABLE_MATH if math else _OPTIONS
    for event, span in events_with_range(text, options=options):
        yield cast("Event", event), places[span["start"]], places[span["end"]]


def _places(text: str, first: int) -> Sequence[int]:
    """The place of the character that begins at each byte of a text whose first character is at ``first``."""
    if text.isascii():
        return range(first, first + len(text) + 1)
    return array("L", accumulate(text.encode().translate(_BEGINS_CHARACTER), initial=first))
