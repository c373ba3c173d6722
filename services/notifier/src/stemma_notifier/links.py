"""Links to the decision that a notice is about: pages of the gateway, which ask who follows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from stemma_contracts import registry, subjects
from stemma_contracts.v1.decision_links import DecisionLink, Verb
from stemma_contracts.v1.events import SectionReviewRequested

from .notices import Notice, NoticedSection

NONE: Mapping[str, str] = {}
REVIEW = registry.entry_of(SectionReviewRequested).token


@dataclass(frozen=True)
class Links:
    """``base`` is the address of the gateway as people reach it, nothing where there is none."""

    base: str = ""
    valid_for: timedelta = timedelta(days=7)

    def of(self, notice: Notice) -> Mapping[str, str]:
        """The address for each verb; none where a person has nothing to decide, or no person is told."""
        if not self.base or notice.event != REVIEW or notice.owner == subjects.PROGRAMS:
            return NONE
        match notice.document_id, notice.sections, notice.version:
            case str(document), (NoticedSection(section_id=section),), int(version):
                return {verb.value: self._link(notice, document, section, version, verb) for verb in Verb}
            case _:
                return NONE

    def _link(self, notice: Notice, document: str, section: str, version: int, verb: Verb) -> str:
        link = DecisionLink(
            tenant=notice.tenant,
            person=notice.owner,
            document_id=document,
            section_id=section,
            version=version,
            verb=verb,
            expires_at=notice.happened_at + self.valid_for,
        )
        return f"{self.base.rstrip('/')}/decide/{link.token}"
