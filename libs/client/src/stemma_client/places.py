"""Where in a file something stands that was read of it, as it is cited: a page, a slide, a sheet with its cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_document.views import DocumentView, InputView

from .client import Client

NO_PLACES = frozenset({"heading", "paragraph"})
"""Kinds of anchors that say less than a line with the heading above it."""


@dataclass(frozen=True)
class Places:
    """The places in one file: where each line of its text begins, and from where on which label counts."""

    starts: tuple[int, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    offsets: tuple[int, ...] = field(default=())

    @classmethod
    def of(cls, text: str, anchors: Iterable[Anchor]) -> Places:
        """The places of a text with its anchors."""
        cited = tuple(sorted((a for a in anchors if a.kind not in NO_PLACES), key=lambda anchor: anchor.offset))
        starts = tuple(accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
        return cls(starts, cited, tuple(anchor.offset for anchor in cited))

    def at(self, line: int) -> str:
        """The label of the place that a line, counted from 1, stands at; nothing if its file has no such places."""
        if not self.anchors or not 1 <= line < len(self.starts):
            return ""
        above = bisect_right(self.offsets, max(self.starts[line - 1], self.starts[line] - 1))
        return self.anchors[above - 1].label if above else ""


async def places_in(client: Client, view: DocumentView) -> Mapping[str, Places]:
    """The places in each input of a document, by its name; the brief is called ``brief``."""
    named = ((one.input_id if one.input_id == "brief" else one.name, one) for one in view.input_views)
    return {name: await _places(client, view.document_id, one) for name, one in named if one.anchors is not None}


async def _places(client: Client, document_id: str, one: InputView) -> Places:
    assert one.anchors is not None
    try:
        anchors = Anchors.model_validate_json(await client.artifact(document_id, one.anchors))
        return Places.of(await client.text(document_id, one.text), anchors.anchors)
    except (ArtifactMissing, ValidationError):
        return Places()
