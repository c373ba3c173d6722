"""Comments of people and programs on the text of a section. Events hold ids; the words stand in artifacts."""

from typing import Annotated

from pydantic import Field, StrictBool, StringConstraints

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .references import ArtifactRef

BlockId = Annotated[str, StringConstraints(pattern=r"^[0-9a-z]{10}$")]

MOST_COMMENTS = 50
"""Comments that are sent together as one review."""


class Remark(Contract):
    """What somebody says about a passage, or about the whole section if nothing is quoted.

    ``quote`` are words of the text as a reader reads them, ``before`` some words that stand before it, which tell one
    occurrence from another.
    """

    text: str = Field(min_length=1, max_length=10_000)
    quote: str = Field(default="", max_length=2_000)
    before: str = Field(default="", max_length=200)


class NewComment(Remark):
    """A comment to be made: with ``thread_id`` an answer in that thread, else the first of a new one."""

    thread_id: Token | None = None
    block_id: BlockId | None = Field(default=None, description="the block of the version that the quote begins in")
    asks: StrictBool = Field(default=False, description="of the first one of a thread: it waits for an answer")


class MadeComment(Contract):
    """A comment that was made; the first one of a thread gave it its id."""

    comment_id: Token
    thread_id: Token
    block_id: BlockId | None = Field(default=None, description="the block of the version that the quote begins in")
    remark: ArtifactRef = Field(description="Remark as JSON")
    asks: bool = Field(default=False, description="its thread waits for an answer")
