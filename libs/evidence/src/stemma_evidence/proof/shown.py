"""What a file shows, and the proof that it carries."""

from hashlib import sha256
from typing import NamedTuple, Protocol

from stemma_contracts.v1.proofs import ProvenBlock
from stemma_ooxml.word import Mark, same

CONTENTS = "contents"


class Shown(NamedTuple):
    """Something that a file shows: its block, its words, and the mark that its paragraph has."""

    block: ProvenBlock
    words: str
    mark: Mark | None = None


class Carried(NamedTuple):
    """The proof of a file as it stands there."""

    key: str
    signature: str
    statement: bytes


class Provable(Protocol):
    """A file that carries a proof, or may."""

    @property
    def is_ours(self) -> bool:
        """Whether something beside a proof says that it is of a document of Stemma."""
        ...

    @property
    def carried(self) -> Carried | None:
        """None if there is no proof, or a damaged one."""
        ...

    @property
    def rest(self) -> str:
        """The digest of all of the file but the proof."""
        ...

    def with_proof(self, carried: Carried) -> bytes:
        """The file with a proof: the same bytes each time."""
        ...


def digest_of(words: str) -> str:
    return sha256(same(words).encode(errors="replace")).hexdigest()
