"""Who decided what about which version, and when."""

from __future__ import annotations

from typing import Any

from stemma_client.client import Client
from stemma_client.reading import said_with
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1 import events as e

from stemma_cli.lookup import NOT_STORED
from stemma_cli.output import clean_line
from stemma_cli.wording import detail_words, event_words, name_words, person_words, version_words

_ELSEWHERE = ("version", "actor", "by_policy", "starts", "makes_stale", "clears_stale")
_LONGEST = 200
COLUMNS = ("WHEN", "WHO", "SECTION", "VERSION", "WHAT", "IN WORDS")


def line(event: RecordedEvent) -> str:
    """What happened and when, in a line."""
    return f"{event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S} {event_words(event)}"


def row(event: RecordedEvent, said: str) -> tuple[str, ...]:
    """A decision for a table."""
    contract: Any = event.contract
    details = detail_words(event, without=_ELSEWHERE)
    return (
        f"{event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S}",
        _who(contract),
        getattr(contract, "section_id", None) or "",
        version_words(getattr(contract, "version", 0)),
        f"{_what(event)}{f' ({details})' if details else ''}",
        said if len(said) <= _LONGEST else f"{said[:_LONGEST]}...",
    )


def _who(contract: Any) -> str:
    if contract.actor:
        return person_words(contract.actor, verified=contract.actor_verified)
    return "policy" if isinstance(contract, e.SectionApproved) else "editor agent"


def _what(event: RecordedEvent) -> str:
    """A refusal is told with what was refused."""
    if isinstance(event.contract, e.DecisionRefused):
        return f"{' '.join(event.contract.request.split('.')[1:-1])}: {name_words(event)}"
    return name_words(event)


async def words_with(client: Client, document_id: str, event: RecordedEvent) -> str:
    """What was said in words with a decision or its result, in a line; an erased document has no texts any more."""
    said = await said_with(client, document_id, event)
    return NOT_STORED if said is None else clean_line(said)
