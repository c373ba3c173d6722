"""What the model answers: replacements of whole blocks, checked against the draft before code applies them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from .blocks import Draft, is_self_contained

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
        """The new texts by block id."""
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
