"""Who made a version, and when: what a comparison of versions names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Provenance

from .state import Section
from .texts import AnyTextEvent


def with_author(
    before: Section,
    after: Section,
    event: AnyTextEvent,
    at: datetime | None,
) -> Section:
    """The section with author and time of the version that the event made; the words that there were keep theirs."""
    if after.current is None:
        return after
    author = _author(after, event)
    if before.current is not None and before.current_number == after.current_number:
        author, at = before.current.author, before.current.made_at
    return replace(after, versions=(*after.versions[:-1], replace(after.current, author=author, made_at=at)))


def _author(section: Section, event: AnyTextEvent) -> str:
    match event:
        case e.SectionDrafted():
            return section.plan.agent or _agent(event.provenance)
        case e.SectionRevised():
            return _agent(event.provenance)
        case e.SectionEdited() if event.provenance is not None:
            return _agent(event.provenance)
        case e.SectionEdited() | e.SectionRestored():
            return event.actor or ""
        case _:
            assert_never(event)


def _agent(provenance: Provenance) -> str:
    """The agent without its version."""
    return provenance.agent_version.partition("/")[0]
