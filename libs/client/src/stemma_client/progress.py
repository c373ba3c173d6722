"""How far a document is: what is done to each section, since when, and how long that took before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Literal

from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import UNDER_WAY, Activity
from stemma_contracts.v1.views import DocumentView, SectionView

from .errors import DocumentNotFoundError

if TYPE_CHECKING:
    from .client import Client

Step = Literal["reading", "writing", "checking"]
CHARS_A_TOKEN = 4
"""Roughly, in Latin script: providers tell tokens when an answer is whole."""
LOOKED_AT = 3
"""So many earlier documents of a kind say how long a section takes."""
Seconds = Mapping[str, float]
"""By kind of section."""


def step_of(section: SectionView) -> Step | None:
    """What is done to a section now; nothing while it waits for a person or for other sections."""
    if section.asks or not (section.activity or section.checks or section.edit_in_flight):
        return None
    return "writing" if section.activity in (Activity.GENERATE, Activity.EDIT) else "checking"


def read_now(view: DocumentView) -> tuple[str, ...]:
    """The inputs that are being read."""
    return tuple(one.name for one in view.input_views if one.state == "reading")


def usual(views: Iterable[DocumentView]) -> Seconds:
    """How long sections of each kind took to be written, the middle of what is known."""
    took: dict[str, list[float]] = defaultdict(list)
    for section in (section for view in views for section in view.sections.values()):
        made = (version.processing_metadata for version in section.versions)
        took[section.kind].extend(one.seconds for one in made if one is not None)
    return {kind: median(seconds) for kind, seconds in took.items() if seconds}


async def usual_of(client: Client, view: DocumentView) -> Seconds:
    """The same of this document and of those of its kind that were completed last and are still there."""
    done = [one for one in await client.documents(warns=False) if _is_like(one.kind, one.status, view)]
    newest = [one.document_id for one in done if one.document_id != view.document_id][:LOOKED_AT]
    views = [view]
    for document_id in newest:
        with suppress(DocumentNotFoundError):
            views.append(await client.document(document_id))
    return usual(views)


def _is_like(kind: str, status: DocumentStatus, view: DocumentView) -> bool:
    return kind == view.kind and status is DocumentStatus.COMPLETED


def seconds_left(view: DocumentView, seconds: Seconds, now: datetime) -> float | None:
    """How long the writing of all sections will take if nobody has to be waited for; None if nothing was written yet.

    A section of a kind that was never written takes as long as the others, by the middle.
    """
    ends: dict[str, float | None] = {}
    for name in view.sections:
        _end_of(view, name, seconds, now, ends)
    known = [end for end in ends.values() if end is not None]
    return max(known, default=0.0) if len(known) == len(ends) else None


def _end_of(
    view: DocumentView, name: str, seconds: Seconds, now: datetime, ends: dict[str, float | None]
) -> float | None:
    if name not in ends:
        section = view.sections[name]
        ends[name] = None  # a section that rests on itself has no end
        begins = [_end_of(view, one, seconds, now, ends) for one in section.depends_on if one in view.sections]
        ends[name] = 0.0 if section.status not in UNDER_WAY else _after(section, begins, seconds, now)
    return ends[name]


def _after(section: SectionView, begins: list[float | None], seconds: Seconds, now: datetime) -> float | None:
    if not seconds:
        return None
    takes = seconds.get(section.kind) or median(seconds.values())
    if section.activity_since is not None:
        return max(0.0, takes - elapsed(section, now))
    known = [begin for begin in begins if begin is not None]
    return max(known, default=0.0) + takes if len(known) == len(begins) else None


def elapsed(section: SectionView, now: datetime) -> float:
    """For how many seconds a section has been worked at; another machine's clock may be ahead."""
    return max(0.0, (now - section.activity_since).total_seconds()) if section.activity_since else 0.0
