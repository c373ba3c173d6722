"""Version numbers: one more for another text, the same for the same."""

from __future__ import annotations

from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.staleness import UpstreamVersion

from .state import Document, Section, Version

BY_A_PERSON = frozenset({Origin.EDITED, Origin.WRITTEN, Origin.RESTORED})


def next_version(section: Section, draft: ArtifactRef) -> int:
    """One more, but only if the text is another."""
    current = section.current
    if current is None:
        return 1
    return current.number if current.draft.digest == draft.digest else current.number + 1


def text_of(section: Section, number: int) -> str | None:
    """The digest of a version's text, None for 0: nothing was written."""
    return next((version.draft.digest for version in section.versions if version.number == number), None)


def is_a_persons(version: Version) -> bool:
    """Whether it holds the words of a person, so that no machine may replace it unasked."""
    return version.protected or version.origin in BY_A_PERSON


def upstream_versions(document: Document, section: Section) -> tuple[UpstreamVersion, ...]:
    """The current versions of the direct upstreams."""
    return tuple(
        UpstreamVersion(section_id=name, version=document.sections[name].current_number)
        for name in section.plan.depends_on
    )
