"""Who decided what: which events of a document are decisions, and what was said with them in words."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.needs import NeedAnswer
from stemma_contracts.v1.references import ArtifactRef

from .client import Client
from .recorded import RecordedEvent

_SAID = ("feedback", "instruction", "guidance", "answer", "summary", "reason")
# What came of a decision, told beside it.
_RESULTS = (e.SectionRevised, e.SectionEdited, e.SectionRevisionRefused)


def is_decision(event: RecordedEvent) -> bool:
    """Whether somebody decided it, or it is what came of a decision."""
    contract = event.contract
    by_policy = isinstance(contract, e.SectionApproved) and contract.by_policy
    return isinstance(contract, e.Event) and (contract.actor is not None or by_policy or isinstance(contract, _RESULTS))


async def said_with(client: Client, document_id: str, event: RecordedEvent) -> str | None:
    """What was said in words with a decision or its result; None where that is not stored any more."""
    refs = (getattr(event.contract, name, None) for name in _SAID)
    ref = next((ref for ref in refs if isinstance(ref, ArtifactRef)), None)
    if isinstance(event.contract, e.SectionNeedAnswered) and event.contract.answered_by != "person":
        return ""
    said = await client.stored_text(document_id, ref)
    return _answer_words(said) if said is not None and ref and ref.media_type == "application/json" else said


def _answer_words(answer: str) -> str:
    """What a person answered to a need: the words, and each decision."""
    given = NeedAnswer.model_validate_json(answer)
    decided = (f"{name}: {how if isinstance(how, str) else how.name}" for name, how in given.decisions.items())
    return "; ".join(filter(None, (given.text, *decided)))
