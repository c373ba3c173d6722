"""What an exported file proves of itself: its blocks with what they rest on, and who settled which version.

The file carries a `Statement` with a signature. What its reader may not see is there as a ``seal`` alone: the SHA-256
of a secret salt and the words. The artifact ``proof`` of an export is the same statement with words and salts.
"""

from typing import Literal

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token

PROVEN = ("docx", "pdf")
"""The formats that carry a proof."""
SettledHow = Literal["approved", "written", "policy"]
"""A person approved it, a person wrote it, or nobody had to."""


class Settlement(Contract):
    """Who settled a version of a section, and when; nobody is named where the policy did."""

    how: SettledHow
    by: str = Field(default="", max_length=100)
    verified: bool = Field(default=False, description="the server knew the person, who is claimed else")
    at: AwareDatetime | None = None


class ProvenName(Contract):
    """Words, or their seal where the reader may not see them."""

    name: str = Field(default="", max_length=255)
    seal: Digest | None = None
    salt: str = Field(default="", max_length=64, description="hex; never in a file that leaves")


class ProvenSource(ProvenName):
    """A place of an input; the seal is of the file's name and digest together."""

    digest: Digest | None = Field(default=None, description="of what was read of the file")
    place: str = Field(default="", max_length=300, description="as it is cited: `p. 12`, `Prices!A2:F9`")


class ProvenDemand(Contract):
    """A demand of the request, as the ledger has it."""

    requirement_id: Token
    source: ProvenName
    place: str = Field(default="", max_length=300)
    quote: Digest = Field(description="SHA-256 of its words; in a file with a sealed source of the salt and that")


class ProvenSettlement(ProvenName):
    """Who settled a version, and when."""

    how: SettledHow
    verified: bool = False
    at: AwareDatetime | None = None


class ProvenSection(Contract):
    """A version of a section that the file shows."""

    section_id: Token
    title: str = ""
    version: int = Field(ge=0)
    draft: Digest | None = None
    settled: tuple[ProvenSettlement, ...] = Field(default=(), description="empty: nobody settled it")


class ProvenBlock(Contract):
    """Something that the file shows: a paragraph, a note, a text around the page, a picture, a formula.

    ``section``, ``sources`` and ``demands`` are places in the lists of the statement. A block of a PDF is ``length``
    characters of its text without white space.
    """

    kind: Token = "text"
    digest: Digest = Field(description="SHA-256 of its words, one space apart, in NFC; of a picture its bytes")
    section: int | None = Field(default=None, ge=0)
    block_id: str = Field(default="", pattern=r"^[0-9a-z]{0,10}$", description="of the block of the draft")
    sources: tuple[int, ...] = ()
    demands: tuple[int, ...] = ()
    length: int = Field(default=0, ge=0)
    page: int = Field(default=0, ge=0)


class Statement(Contract):
    """What a file says of itself; ``rest`` is the digest of all of it but the proof, ``blocks`` are in its order."""

    document_id: Token
    export_id: Token
    rest: Digest
    sections: tuple[ProvenSection, ...] = ()
    sources: tuple[ProvenSource, ...] = ()
    demands: tuple[ProvenDemand, ...] = ()
    blocks: tuple[ProvenBlock, ...] = ()


class Proof(Contract):
    """The body of the artifact ``proof``: the statement with all words and salts, and the signature of the file's.

    ``key`` is the public key (Ed25519, hex) by which the file is verified.
    """

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    signature: str = Field(pattern=r"^[0-9a-f]{128}$")
    statement: Statement
