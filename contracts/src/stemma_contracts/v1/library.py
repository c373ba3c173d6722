"""The library of a tenant: texts that people approved, what they answered, and where they were used again.

It is stored nowhere: each document tells its own entries, and which entries of others it took.
"""

from datetime import datetime
from typing import Literal

from pydantic import Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .references import ArtifactRef

Lapse = Literal["unapproved", "changed", "stale", "expired", "withheld", "gone"]
"""Why an entry may not be used any more: its approval is gone, another text took its place, what it rests on changed,
its time is over, people withhold it or it rests on prices, its document was cancelled."""


class EntryRef(Contract):
    """A text that a person approved: the version of a section."""

    document_id: Token
    section_id: Token
    version: StrictInt = Field(ge=1)


class EntryUse(Contract):
    """An input of another document that an entry became; ``told`` is the lapse that this document was told of."""

    document_id: Token
    version: int = Field(ge=1)
    told: Lapse | None = None


class EntryAnswer(Contract):
    """A demand that an entry answers: a row of the ledger of its document, and the block of the text."""

    requirement_id: Token
    block_id: str
    sure: bool = True


class EntryView(Contract):
    """What a section is to the library: who approved its current text and when, and what people said of it.

    ``lapse`` says why it is offered to nobody. ``sources`` are the ids of the inputs that it rests on.
    """

    approved_by: str = ""
    approved_at: datetime | None = None
    verified: bool = False
    owner: str = ""
    expires: datetime | None = None
    withheld: bool = False
    lapse: Lapse | None = None
    answers: tuple[EntryAnswer, ...] = ()
    sources: tuple[str, ...] = ()
    uses: tuple[EntryUse, ...] = ()


class ReuseView(Contract):
    """An entry of another document that a person took as an input, and why it may not be used any more."""

    entry: EntryRef
    input_id: str
    requirement_ids: tuple[str, ...] = ()
    by: str = ""
    at: datetime | None = None
    lapse: Lapse | None = None
    text: ArtifactRef | None = None
