"""A notice: what one rule is told of one event. It waits in a queue of its own until its receiver has it."""

from __future__ import annotations

from hashlib import sha256

from nats.js.api import Header
from nats.js.errors import APIError
from pydantic import AwareDatetime, Field
from stemma_contracts import Contract, subjects
from stemma_contracts.tokens import Token
from stemma_contracts.v1.notifications import Occasion
from stemma_contracts.v1.usage import Usage
from stemma_messaging import Publisher


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


FULL = "maximum messages per subject exceeded"


class RuleFull(Exception):
    """As many notices of the rule wait as may."""


async def queue(publisher: Publisher, notice: Notice) -> None:
    """Store a notice until it is delivered; the same again changes nothing. Raises `RuleFull`."""
    subject = subjects.notice(notice.tenant, notice.owner, notice.rule_id)
    headers = {Header.MSG_ID: notice.notice_id, "ce-id": notice.notice_id}
    try:
        await publisher.store(subject, notice.model_dump_json(exclude_defaults=True).encode(), headers)
    except APIError as error:
        if error.description == FULL:
            raise RuleFull(notice.rule_id) from None
        raise
