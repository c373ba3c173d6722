"""The blocks of a draft, and their ids."""

from pydantic import Field

from stemma_contracts.base import Contract


class IdentifiedBlock(Contract):
    """A top-level Markdown block of a draft: ``start`` and ``end`` are places in its text, in characters."""

    block_id: str = Field(pattern=r"^[0-9a-z]{10}$", description="the same in every version that has the block")
    kind: str
    level: int = Field(default=0, ge=0, le=6, description="of a heading, else 0")
    line: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class BlockIndex(Contract):
    """The body of a blocks artifact: every block of one version, in their order; joined, they are the draft.

    ``given`` counts the ids that were ever given in ``scope``, also to blocks that are gone: none is given twice.
    """

    scope: str
    given: int = Field(ge=0)
    blocks: tuple[IdentifiedBlock, ...] = ()
