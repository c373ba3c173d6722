"""Who decided what about which version, and when."""

from __future__ import annotations

from typing import Any

from stemma_artifacts.store import ArtifactMissing
from stemma_client.client import Client
from stemma_client.recorded import RecordedEvent
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.needs import NeedAnswer
from stemma_contracts.v1.references import ArtifactRef

from stemma_cli.lookup import NOT_STORED
from stemma_cli.output import clean_line
from stemma_cli.wording import detail_words, event_words, name_words, person_words, version_words

_SAID = ("feedback", "instruction", "guidance", "answer", "summary", "reason")
# What came of a decision, told beside it.
_RESULTS = (e.SectionRevised, e.SectionEdited, e.SectionRevisionRefused)
_ELSEWHERE = ("version", "actor", "by_policy", "starts", "makes_stale", "clears_stale")
_LONGEST = 200
COLUMNS = ("WHEN", "WHO", "SECTION", "VERSION", "WHAT", "IN WORDS")


def line(event: RecordedEvent) -> str:
    """What happened and when, in a line."""
    return f"{event.envelope.time.astimezone():%Y-%m-%d %H:%M:%S} {event_words(event)}"


def is_decision(event: RecordedEvent) -> bool:
    """Whether somebody decided it, or it is what came of a decision."""
    contract = event.contract
    by_policy = isinstance(contract, e.SectionApproved) and contract.by_policy
    return isinstance(contract, e.Event) and (contract.actor is not None or by_policy or isinstance(contract, _RESULTS))


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


async def said_with(client: Client, document_id: str, event: RecordedEvent) -> str:
    """What was said in words with a decision or its result; an erased document has no texts any more."""
    refs = (getattr(event.contract, name, None) for name in _SAID)
    ref = next((ref for ref in refs if isinstance(ref, ArtifactRef)), None)
    if isinstance(event.contract, e.SectionNeedAnswered) and event.contract.answered_by != "person":
        return ""
    try:
        said = await client.text(document_id, ref)
        return clean_line(_answer_words(said) if ref and ref.media_type == "application/json" else said)
    except ArtifactMissing:
        return NOT_STORED


def _answer_words(answer: str) -> str:
    """What a person answered to a need: the words, and each decision."""
    given = NeedAnswer.model_validate_json(answer)
    decided = (f"{name}: {how if isinstance(how, str) else how.name}" for name, how in given.decisions.items())
    return "; ".join(filter(None, (given.text, *decided)))
