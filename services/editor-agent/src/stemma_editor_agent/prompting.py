"""The messages of a revision, and what comes back, in the words of the draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationIssue
from stemma_models.prompting import TAGS, block

from .blocks import Draft

MATERIAL_CHARACTERS = 24_000
_ESCAPED_TAG = re.compile(rf"‹(?=\s{{0,4}}/?\s{{0,4}}(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Upstream:
    """A section that the draft rests on."""

    section_id: str
    title: str
    version: int
    text: str


@dataclass(frozen=True)
class Material:
    """All that an editor sees."""

    section: SectionPlan
    draft: Draft
    instruction: str
    brief: str
    language: str
    upstream: tuple[Upstream, ...] = ()
    issues: tuple[ValidationIssue, ...] = ()


def messages(prompt: str, material: Material) -> Sequence[BaseMessage]:
    """The prompt of the editor, then the material in blocks."""
    section = material.section
    parts = [
        block("task", "revision"),
        _section_block(section, material.language),
        block("brief", _cut(material.brief)),
        *(
            block("upstream", _cut(one.text), id=one.section_id, title=one.title, version=str(one.version))
            for one in material.upstream
        ),
        *([block("issues", "\n".join(map(_issue, material.issues)))] if material.issues else []),
        block("instruction", material.instruction),
        block("blocks", [block("block", one.text, id=one.block_id) for one in material.draft.blocks]),
    ]
    return [SystemMessage(prompt), HumanMessage("\n".join(parts))]


def _section_block(section: SectionPlan, language: str) -> str:
    limits = {"max_words": section.max_words, "max_pages": section.max_pages}
    told = {name: str(most) for name, most in limits.items() if most is not None}
    about = {"id": section.section_id, "kind": section.kind, "title": section.title, "language": language}
    return block("section", section.purpose, **about, **told)


def _issue(issue: ValidationIssue) -> str:
    return f"- line {issue.line_number}: {' '.join(issue.message.split())} ({issue.rule})"


def unescaped(text: str, draft: Draft) -> str:
    """A replacement as the author of the draft would write it: the model saw ``‹`` where a tag begins."""
    return text if _ESCAPED_TAG.search(draft.text) else _ESCAPED_TAG.sub("<", text)


def _cut(text: str) -> str:
    return text if len(text) <= MATERIAL_CHARACTERS else f"{text[:MATERIAL_CHARACTERS]}\n\n[...]"
