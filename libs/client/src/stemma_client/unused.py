"""Evidence that no section uses: under which headings of the inputs nothing was taken."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from stemma_contracts.v1.inputs import Anchors
from stemma_contracts.v1.views import DocumentView, InputView
from stemma_markdown import Document, parts

if TYPE_CHECKING:
    from .client import Client

PROSE = frozenset({"text/markdown", "text/plain"})
LEAST_CHARACTERS = 20
"""A passage with no longer part says nothing by itself."""


class Passage(NamedTuple):
    """What stands under a heading, at a place; the heading is empty where the text has none above."""

    heading: str
    start: int


class Unused(NamedTuple):
    """A passage of an input that no section uses; ``place`` is as its file is cited, if that is known."""

    name: str
    heading: str
    place: str


async def unused_evidence(client: Client, view: DocumentView) -> list[Unused]:
    """The passages of the evidence that no section uses, once all sections were written and checked."""
    used = _used(view)
    if used is None:
        return []
    return [one for given in view.counting for one in await _unused_of(client, view, given, used)]


def _used(view: DocumentView) -> dict[str, set[str] | None] | None:
    """The parts of each input that sections use, None of one that is used whole; None while a section is to come."""
    found = dict[str, set[str] | None]()
    for section in view.sections.values():
        if section.validation is None or section.validation.used is None:
            return None
        for one in section.validation.used:
            known = found.setdefault(one.input_id, set())
            found[one.input_id] = None if known is None or one.whole else known | set(one.parts)
    return found


async def _unused_of(
    client: Client, view: DocumentView, given: InputView, used: dict[str, set[str] | None]
) -> list[Unused]:
    parts_used = used.get(given.input_id, set())
    if given.used_as != "evidence" or given.text is None or given.text.media_type not in PROSE or parts_used is None:
        return []
    text = await client.stored_text(view.document_id, given.text) or ""
    passages = await client.compute(unused_passages, text, frozenset(parts_used))
    found = await client.stored(view.document_id, given.anchors, Anchors) if passages else None
    return [Unused(given.name, one.heading, _place(found, one.start)) for one in passages]


def _place(anchors: Anchors | None, offset: int) -> str:
    found = anchors.anchors if anchors else ()
    at = bisect_right([anchor.offset for anchor in found], offset)
    return found[at - 1].label if at else ""


def unused_passages(text: str, used: Collection[str]) -> list[Passage]:
    """The passages of a text of which no part is among those that are used."""
    headings = Document(text).headings
    lines = [one.line for one in headings]
    said, taken = dict[Passage, int](), set[Passage]()
    for part in parts(text):
        at = bisect_right(lines, part.line)
        if part.line in lines[at - 1 : at]:
            continue
        passage = Passage(headings[at - 1].text, headings[at - 1].start) if at else Passage("", 0)
        said[passage] = max(said.get(passage, 0), len(part.text))
        if part.fingerprint in used:
            taken.add(passage)
    return [passage for passage, longest in said.items() if longest >= LEAST_CHARACTERS and passage not in taken]
