"""A notice: what one rule is told of one event. It waits in a queue of its own until its receiver has it."""

from __future__ import annotations

from hashlib import sha256

from pydantic import AwareDatetime, Field
from stemma_contracts import Contract
from stemma_contracts.tokens import Token
from stemma_contracts.v1.notifications import Occasion


class NoticedSection(Contract):
    """A section by its id and its title."""

    section_id: Token
    title: str = ""


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


def notice_id(event_id: str, tenant: str, owner: str, rule_id: str) -> str:
    """The same for the same event and rule, whoever makes it and however often; a receiver drops doubles by it."""
    return f"msg_{sha256('/'.join((event_id, tenant, owner, rule_id)).encode()).hexdigest()[:40]}"
