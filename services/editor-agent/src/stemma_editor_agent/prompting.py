"""The messages of a revision, and what comes back, in the words of the draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from stemma_contracts.v1.values import SectionPlan
from stemma_models.prompting import TAGS, block

from .blocks import Draft

MATERIAL_CHARACTERS = 24_000
_ESCAPED_TAG = re.compile(rf"‹(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)


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
    upstream: tuple[Upstream, ...] = ()


def messages(prompt: str, material: Material) -> Sequence[BaseMessage]:
    """The prompt of the editor, then the material in blocks."""
    section = material.section
    parts = [
        block("task", "revision"),
        block("section", section.purpose, id=section.section_id, kind=section.kind, title=section.title),
        block("brief", _cut(material.brief)),
        *(
            block("upstream", _cut(one.text), id=one.section_id, title=one.title, version=str(one.version))
            for one in material.upstream
        ),
        block("instruction", material.instruction),
        block("blocks", [block("block", one.text, id=one.block_id) for one in material.draft.blocks]),
    ]
    return [SystemMessage(prompt), HumanMessage("\n".join(parts))]


def unescaped(text: str, draft: Draft) -> str:
    """A replacement as the author of the draft would write it: the model saw ``‹`` where a tag begins."""
    return text if _ESCAPED_TAG.search(draft.text) else _ESCAPED_TAG.sub("<", text)


def _cut(text: str) -> str:
    return text if len(text) <= MATERIAL_CHARACTERS else f"{text[:MATERIAL_CHARACTERS]}\n\n[...]"
