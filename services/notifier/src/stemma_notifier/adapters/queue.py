"""Where notices wait for their receivers."""

from __future__ import annotations

from nats.js.api import Header
from nats.js.errors import APIError
from stemma_contracts import subjects
from stemma_messaging import Publisher

from stemma_notifier.notices import Notice

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
