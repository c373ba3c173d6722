"""Whether an answer is one that its question can have; anything else is refused, with the forms that are."""

from __future__ import annotations

from stemma_contracts.media import SHOWN
from stemma_contracts.v1.needs import SKIP, Need
from stemma_document.state import Document

from .commands import Answer

UPLOADED = ""
"""What stands for an image that came with the answer."""


def is_understood(command: Answer, need: Need, document: Document) -> bool:
    """Whether the words are a form of the need, if it has any, and every decision is about one of its references."""
    if not command.decisions:
        return not need.forms or command.form in need.forms
    asked = {entry.reference for entry in need.references}
    images = {item.name for item in document.inputs if item.artifact.media_type in SHOWN}
    return all(
        reference in asked and decision in {SKIP, UPLOADED, *images}
        for reference, decision in command.decisions.items()
    )
