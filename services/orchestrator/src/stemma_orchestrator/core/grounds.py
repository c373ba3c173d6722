"""What a draft may be grounded on: inputs, brief, the sections that it rests on, and what people said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stemma_contracts.media import SHOWN
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_document.state import Document, Section


def grounds(document: Document, versions: tuple[UpstreamVersion, ...]) -> dict[str, Any]:
    """The fields of a validation that say where claims may stand; ``versions`` are those that the draft rests on."""
    return {
        "brief": document.brief,
        "inputs": tuple(item for item in document.inputs if item.artifact.media_type not in SHOWN),
        "upstream": upstream_drafts(document, _with_theirs(document, versions)),
        "said": document.said,
    }


def upstream_drafts(document: Document, versions: Iterable[UpstreamVersion]) -> tuple[UpstreamDraft, ...]:
    """The drafts of upstream versions; some may not be written yet."""
    return tuple(
        UpstreamDraft(
            section_id=upstream.section_id,
            title=document.sections[upstream.section_id].plan.title,
            version=upstream.version,
            draft=_draft_of(document.sections[upstream.section_id], upstream.version),
        )
        for upstream in versions
        if upstream.version > 0
    )


def _with_theirs(document: Document, versions: tuple[UpstreamVersion, ...]) -> tuple[UpstreamVersion, ...]:
    """Versions and those that they rest on themselves, each once, the nearer first."""
    found: dict[tuple[str, int], UpstreamVersion] = {}
    waiting = list(versions)
    while waiting:
        upstream = waiting.pop(0)
        key = upstream.section_id, upstream.version
        if key in found:
            continue
        found[key] = upstream
        section = document.sections[upstream.section_id]
        waiting += [
            own for version in section.versions if version.number == upstream.version for own in version.upstream
        ]
    return tuple(found.values())


def _draft_of(section: Section, number: int) -> ArtifactRef:
    return next(version.draft for version in section.versions if version.number == number)
