"""The events of a document: decisions in a table, all in lines."""

from collections.abc import Callable, Mapping
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


def history_line(event: RecordedEvent) -> str:
    return f"{event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S} {event_words(event)}"


def _who(contract: Any) -> str:
    if contract.actor:
        return person_words(contract.actor, verified=contract.actor_verified)
    return "policy" if isinstance(contract, e.SectionApproved) else "editor agent"


def _what(event: RecordedEvent) -> str:
    details, refused = detail_words(event, without=_ELSEWHERE), ""
    if isinstance(event.contract, e.DecisionRefused):
        refused = f"{' '.join(event.contract.request.split('.')[1:-1])}: "
    return f"{refused}{name_words(event)}{f' ({details})' if details else ''}"


DECISIONS: Mapping[str, Callable[[tuple[RecordedEvent, str]], str]] = {
    "WHEN": lambda decided: f"{decided[0].envelope.time.astimezone():%Y-%m-%d %H:%M:%S}",
    "WHO": lambda decided: _who(decided[0].contract),
    "SECTION": lambda decided: getattr(decided[0].contract, "section_id", None) or "",
    "VERSION": lambda decided: version_words(getattr(decided[0].contract, "version", 0)),
    "WHAT": lambda decided: _what(decided[0]),
    "IN WORDS": lambda decided: decided[1] if len(decided[1]) <= _LONGEST else f"{decided[1][:_LONGEST]}...",
}
"""A decision with what was said."""


async def words_with(client: Client, document_id: str, event: RecordedEvent) -> str:
    """What was said in words with a decision or its result, in a line; an erased document has no texts any more."""
    said = await said_with(client, document_id, event)
    return NOT_STORED if said is None else clean_line(said)
