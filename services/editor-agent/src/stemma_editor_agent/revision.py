"""The messages that ask a model to change blocks of a draft, and its answer, checked before code applies it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.validation import ValidationIssue
from stemma_markdown import split
from stemma_models.prompting import TAGS, block

from .drafts import Draft

_END = "end of the replacement"


def is_self_contained(text: str) -> bool:
    """Whether what follows ``text`` in a draft is not swallowed by it, as by a fence that is not closed."""
    last = split(f"{text}\n\n{_END}\n")[-1]
    return last.kind == "paragraph" and last.content == _END


DRAFT = "draft"
"""The key of the validation context under which the `Draft` stands."""


class BlockReplacement(BaseModel):
    """The new text of one block."""

    block_id: str = Field(description="id of the block in the draft")
    text: str = Field(description="the whole new Markdown of the block; empty removes it")


class Revision(BaseModel):
    """The changes that an instruction asks for, or why it cannot be followed."""

    changes: list[BlockReplacement] = Field(description="one entry for each block that changes, none for the others")
    summary: str = Field(max_length=2000, description="what was changed, in one to three sentences for the reviewer")
    refused: str | None = Field(
        default=None, max_length=2000, description="why the instruction cannot be followed; null if it was"
    )

    @field_validator("summary", "refused")
    @classmethod
    def _strip(cls, value: str | None) -> str | None:
        return value and value.strip()

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        problems = list(_problems(self, info.context[DRAFT])) if info.context else []
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def texts(self) -> dict[str, str]:
        return {change.block_id: change.text for change in self.changes}


def _problems(revision: Revision, draft: Draft) -> Iterator[str]:
    if revision.refused and revision.changes:
        yield "changes must be empty if the instruction is refused"
    if revision.changes and not revision.summary:
        yield "summary must say what was changed"
    known = {block.block_id for block in draft.blocks}
    for block_id, times in Counter(change.block_id for change in revision.changes).items():
        if block_id not in known:
            yield f"{block_id[:20]!r} is no block of the draft; its blocks are b1 to b{len(known)}"
        if times > 1:
            yield f"{block_id[:20]} is replaced {times} times; give one replacement"
    for change in revision.changes:
        if change.text.strip() and not is_self_contained(change.text):
            yield f"the text of {change.block_id[:20]} runs into the block after it: close every fence, comment and tag"
    if draft.text.strip() and not draft.replaced(draft.changes(revision.texts)).strip():
        yield "the changes remove the whole draft"


MATERIAL_CHARACTERS = 24_000
_ESCAPED_TAG = re.compile(rf"‹(?=\s{{0,4}}/?\s{{0,4}}(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Upstream:
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
    """The prompt of the editor, then the material in blocks: what is the same in the next revision first."""
    parts = [
        block("task", "revision"),
        block("brief", _cut(material.brief)),
        *(
            block("upstream", _cut(one.text), id=one.section_id, title=one.title, version=str(one.version))
            for one in material.upstream
        ),
        _section_block(material.section, material.language),
        block("blocks", [block("block", one.text, id=one.block_id) for one in material.draft.blocks]),
        *([block("issues", "\n".join(map(_issue, material.issues)))] if material.issues else []),
        block("instruction", material.instruction),
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
