"""Kinds of documents that can be asked for."""

from __future__ import annotations

from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.review import ReviewMode

COLUMNS = ("KIND", "TITLE", "SECTIONS", "SETTLED BY A PERSON", "NEEDS", "WHAT IT IS")


def row(kind: DocumentKind) -> tuple[str, ...]:
    """A kind with its sections, and which of them a person settles."""
    required = [section for section in kind.sections if section.required]
    by_a_person = [section.section_id for section in required if section.review is ReviewMode.HUMAN]
    everything = len(by_a_person) == len(required)
    settled = "every section" if everything else ", ".join(by_a_person) or "nothing, unless a check fails"
    return (kind.kind, kind.title, ", ".join(s.section_id for s in required), settled, _needs(kind), kind.description)


def _needs(kind: DocumentKind) -> str:
    types = dict.fromkeys(media_type for section in kind.sections for media_type in section.needs_input)
    return f"a brief and a file of {' or '.join(types)}" if types else "a brief"
