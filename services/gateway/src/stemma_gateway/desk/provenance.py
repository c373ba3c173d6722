"""From what the current version of a section was made, and by whom: sources with their pages, recipe, approval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma_client import Client, DocumentView, RecordedEvent, SectionView
from stemma_client.recipes import outdated_recipe
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_contracts.v1.ledger import RequirementStatus


@dataclass(frozen=True)
class Approval:
    """Who settled a version, and when; nobody by name where the policy did."""

    actor: str
    verified: bool
    at: datetime


@dataclass(frozen=True)
class Lineage:
    """The sources of a version: each input with the places that it was cited at, and each sentence with its own.

    ``outdated`` is what would be another today; ``rows`` are the requirements that the section has to answer.
    """

    places: Mapping[str, tuple[CitedPlace, ...]]
    sentences: tuple[CitedText, ...]
    approval: Approval | None
    outdated: tuple[str, ...]
    rows: Mapping[str, RequirementStatus]


async def lineage_of(
    client: Client, document: DocumentView, section: SectionView, log: Sequence[RecordedEvent]
) -> Lineage:
    """The lineage of the current version of a section."""
    ref = section.validation.grounding if section.validation else None
    report = await client.stored(document.document_id, ref, GroundingReport) or GroundingReport()
    standings = document.ledger.standings if document.ledger else {}
    return Lineage(
        places=_places(report.cited),
        sentences=report.cited,
        approval=approval_of(section, log),
        outdated=outdated_recipe(section, await client.recipes()),
        rows={name: one.status for name, one in standings.items() if one.section_id == section.section_id},
    )


def approval_of(section: SectionView, log: Sequence[RecordedEvent]) -> Approval | None:
    """Who approved the current version, if that still holds."""
    for event in reversed(log):
        one = event.contract
        if isinstance(one, e.SectionApproved) and (one.section_id, one.version) == (
            section.section_id,
            section.version,
        ):
            return Approval(one.actor or "", one.actor_verified, event.envelope.time)
    return None


def _places(cited: Sequence[CitedText]) -> Mapping[str, tuple[CitedPlace, ...]]:
    """The places by the ids of their inputs, each label once, in the order of the input."""
    found: dict[str, dict[str, CitedPlace]] = {}
    for place in sorted((place for text in cited for place in text.places), key=lambda one: one.line):
        found.setdefault(place.input_id, {}).setdefault(place.label, place)
    return {name: tuple(places.values()) for name, places in found.items()}
