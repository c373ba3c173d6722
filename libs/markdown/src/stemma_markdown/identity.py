"""Names for blocks that last: a block keeps its id while the text around it, its place and itself change."""

import string
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from .blocks import Block
from .comparing import match_parts
from .document import document_of

ID_LENGTH = 10

_SIGNS = string.digits + string.ascii_lowercase
_PAIRS = [first + second for second in _SIGNS for first in _SIGNS]
_IDS = len(_SIGNS) ** ID_LENGTH
_STEP = 2_236_067_977_499_789
"""Prime to the number of ids, so that counting in these steps comes to each of them once."""


@dataclass(frozen=True)
class IdentifiedBlock:
    """A block and its id of ten letters and digits."""

    block_id: str
    block: Block


@dataclass(frozen=True)
class IdentifiedBlocks:
    """The blocks of one version of a text.

    ``given`` counts the ids that were ever given in ``scope``, also to blocks that are gone: none is given twice.
    """

    scope: str
    given: int
    blocks: tuple[IdentifiedBlock, ...]

    @property
    def text(self) -> str:
        """The text that the blocks are of."""
        return "".join(identified.block.text for identified in self.blocks)


def nothing_identified(scope: str = "") -> IdentifiedBlocks:
    """What comes before the first version; texts whose ids must differ, as a document's sections, differ in scope."""
    return IdentifiedBlocks(scope, 0, ())


def identify(previous: IdentifiedBlocks, text: str) -> IdentifiedBlocks:
    """Give every block of a text the id that it had in the previous version, or one that no block had yet.

    Equal blocks are the same ones, wherever they stand; of the others those that are alike by at least half.
    """
    blocks = document_of(text).blocks
    partners = match_parts([known.block.content for known in previous.blocks], [block.content for block in blocks])
    fresh = _fresh(previous.scope, previous.given)
    identified = tuple(
        IdentifiedBlock(previous.blocks[partners[number]].block_id if number in partners else next(fresh), block)
        for number, block in enumerate(blocks)
    )
    return IdentifiedBlocks(previous.scope, previous.given + len(blocks) - len(partners), identified)


def _fresh(scope: str, given: int) -> Iterator[str]:
    first = int.from_bytes(sha256(scope.encode()).digest()[:16], "big")
    while True:
        yield _written((first + given * _STEP) % _IDS)
        given += 1


def _written(number: int) -> str:
    pairs = []
    for _ in range(ID_LENGTH // 2):
        number, pair = divmod(number, len(_PAIRS))
        pairs.append(_PAIRS[pair])
    return "".join(pairs)
