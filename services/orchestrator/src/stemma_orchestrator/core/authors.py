"""Who made a version: what a comparison of versions names."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Provenance

from .state import Section


def with_author(
    before: Section,
    after: Section,
    event: e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionRestored,
) -> Section:
    """The section with the author of the version that the event made; none is made by the words that there were."""
    if after.current is None or after.current_number == before.current_number:
        return after
    current = replace(after.current, author=_author(after, event))
    return replace(after, versions=(*after.versions[:-1], current))


def _author(section: Section, event: e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionRestored) -> str:
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
