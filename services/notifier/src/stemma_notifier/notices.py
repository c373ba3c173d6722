"""A notice: what one rule is told of one event. It waits in a queue of its own until its receiver has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from pydantic import AwareDatetime, Field
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.tokens import Token
from stemma_contracts.v1.decision_links import DecisionLink, Verb
from stemma_contracts.v1.events import SectionReviewRequested
from stemma_contracts.v1.notifications import Occasion
from stemma_contracts.v1.usage import Usage


class NoticedSection(Contract):
    """A section by its id and its title."""

    section_id: Token
    title: str = ""


class Budget(Contract):
    """The limits of a rule that a document has reached, and what it had cost by then."""

    tokens: int | None = None
    cost: float | None = None
    spent: Usage

    @property
    def name(self) -> str:
        """The same for the same limits of a rule."""
        return f"budget.{self.tokens}.{self.cost}"


class Notice(Contract):
    """What somebody is told: names of documents and sections, and nothing of their text."""

    notice_id: str = Field(max_length=100)
    tenant: Token
    owner: Token
    rule_id: Token
    occasion: Occasion
    happened_at: AwareDatetime
    event: str = ""
    sequence: int = 0
    document_id: Token | None = None
    kind: Token | None = None
    sections: tuple[NoticedSection, ...] = ()
    version: int | None = None
    budget: Budget | None = None
    assignee: str | None = None
    due: AwareDatetime | None = None


def notice_id(cause: str, tenant: str, owner: str, rule_id: str) -> str:
    """The same for the same cause and rule, whoever makes it and however often; a receiver drops doubles by it.

    The cause is the event, or that a document reached a limit.
    """
    return f"msg_{sha256('/'.join((cause, tenant, owner, rule_id)).encode()).hexdigest()[:40]}"


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
