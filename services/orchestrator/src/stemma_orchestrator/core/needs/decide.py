"""Answer: it must be one that its question can have; anything else is refused, with the forms that are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stemma_contracts.media import SHOWN
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.needs import SKIP, Need
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.inputs import evidence_of
from stemma_document.state import AwaitingAnswer, Document

from stemma_orchestrator.core.commands import SectionCommand, refused

UPLOADED = ""
"""What stands for an image that came with the answer."""
MAX_NAMED = 10


@dataclass(frozen=True)
class Answer(SectionCommand):
    request = requests.AnswerNeed
    need_id: str
    answer: ArtifactRef
    form: str = ""
    decisions: Mapping[str, str] = field(default_factory=dict)


def decide(command: Answer, document: Document) -> Sequence[e.AnyEvent]:
    """The answer to what a section waits for, or the refusal that names the reason."""
    phase = document.sections[command.section_id].phase
    if not isinstance(phase, AwaitingAnswer) or phase.need.need_id != command.need_id:
        return [e.RefusedUnknownNeed(**refused(command, command.section_id), need_id=command.need_id)]
    if not _is_understood(command, phase.need, document):
        return [_not_understood(command, phase.need)]
    return [
        e.SectionNeedAnswered(
            **command.asked, section_id=command.section_id, need_id=command.need_id, answer=command.answer
        )
    ]


def _not_understood(command: Answer, need: Need) -> e.RefusedAnswer:
    return e.RefusedAnswer(
        **refused(command, command.section_id),
        need_id=command.need_id,
        forms=need.forms,
        references=tuple(entry.reference for entry in need.references[:MAX_NAMED]),
    )


def _is_understood(command: Answer, need: Need, document: Document) -> bool:
    """Whether the words are a form of the need, if it has any, and every decision is about one of its references."""
    if not command.decisions:
        return not need.forms or command.form in need.forms
    asked = {entry.reference for entry in need.references}
    images = {item.name for item in evidence_of(document) if item.artifact.media_type in SHOWN}
    return all(
        reference in asked and decision in {SKIP, UPLOADED, *images}
        for reference, decision in command.decisions.items()
    )
