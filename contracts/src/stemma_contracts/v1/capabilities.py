"""What services tell of themselves, so that nobody has to ask them."""

from collections.abc import Mapping

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token

from .provenance import Provenance
from .review import ReviewMode


class KindSection(Contract):
    """One section of a document kind, as its blueprint has it."""

    section_id: Token
    title: str
    graph: Token
    depends_on: tuple[Token, ...] = ()
    required: bool = True
    review: ReviewMode = ReviewMode.HUMAN
    needs_input: tuple[str, ...] = Field(default=(), description="media types, one of which an input must have")


class DocumentKind(Contract):
    """A kind of document that can be asked for; its graphs are what it needs of the generator."""

    kind: Token
    title: str
    description: str = ""
    sections: tuple[KindSection, ...]
    digest: Digest | None = Field(default=None, description="of all its data, where it came with a package")


class Capabilities(Contract):
    """What a service tells at its start that it can do, under its name in the bucket ``capabilities``.

    ``kinds`` are the documents that can be asked for. ``recipes`` are what it would make drafts with now, by graph
    and section kind; ``default`` stands for all others.
    """

    graphs: tuple[str, ...] = ()
    kinds: tuple[DocumentKind, ...] = ()
    recipes: Mapping[str, Mapping[str, Provenance]] = Field(default_factory=dict)
