"""Why a section is stale, in the words of the desk: which sections, inputs and requirements are other ones now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.ledger import RequirementChange
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.views import SectionView

Sections = Mapping[str, SectionView]
NOBODY: Sections = MappingProxyType({})


def stale_words(section: SectionView, words: Mapping[str, str], sections: Sections = NOBODY) -> list[str]:
    """A line for each section, each input and each requirement that made it stale; sections by their titles."""
    return _because(section.stale_reasons, section.stale_inputs, section.stale_requirements, words, sections)


def mark_words(mark: StaleMark, words: Mapping[str, str], sections: Sections = NOBODY) -> list[str]:
    """The same of a section that an event made stale."""
    return _because(mark.reasons, mark.inputs, mark.requirements, words, sections)


def _because(
    reasons: Iterable[StaleReason],
    inputs: Iterable[ChangedInput],
    rows: Iterable[RequirementChange],
    words: Mapping[str, str],
    sections: Sections,
) -> list[str]:
    upstream = [reason_words(reason, words, sections) for reason in reasons]
    changed = [_of_input(one, words) for one in inputs]
    return [*upstream, *changed, *(words[f"stale_row_{row.change}"] % row.requirement_id for row in rows)]


def reason_words(reason: StaleReason, words: Mapping[str, str], sections: Sections = NOBODY) -> str:
    """Why an upstream section makes one stale."""
    upstream = sections.get(reason.upstream_section_id)
    title = upstream.title if upstream else reason.upstream_section_id
    if reason.accepted_version == reason.current_version:
        return words["stale_upstream"] % title
    return words["stale_by"] % (title, reason.accepted_version, reason.current_version)


def _of_input(changed: ChangedInput, words: Mapping[str, str]) -> str:
    if changed.withdrawn:
        return words["stale_withdrawn"] % changed.name
    return words["stale_input"] % (changed.name, changed.accepted_version, changed.current_version)
