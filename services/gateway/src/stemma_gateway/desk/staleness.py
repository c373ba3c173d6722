"""Why a section is stale, in the words of the desk: which sections, inputs and requirements are other ones now."""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.staleness import StaleReason
from stemma_document.views import SectionView


def stale_words(section: SectionView, words: Mapping[str, str]) -> list[str]:
    """A line for each section, each input and each requirement that made it stale."""
    upstream = [_of_section(reason, words) for reason in section.stale_reasons]
    inputs = [_of_input(changed, words) for changed in section.stale_inputs]
    rows = [words[f"stale_row_{row.change}"] % row.requirement_id for row in section.stale_requirements]
    return upstream + inputs + rows


def _of_section(reason: StaleReason, words: Mapping[str, str]) -> str:
    if reason.accepted_version == reason.current_version:
        return words["stale_upstream"] % reason.upstream_section_id
    return words["stale_by"] % (reason.upstream_section_id, reason.accepted_version, reason.current_version)


def _of_input(changed: ChangedInput, words: Mapping[str, str]) -> str:
    if changed.withdrawn:
        return words["stale_withdrawn"] % changed.name
    return words["stale_input"] % (changed.name, changed.accepted_version, changed.current_version)
