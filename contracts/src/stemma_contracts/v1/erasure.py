"""What goes when a document is erased: no content, only names of stores and counts."""

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token


class ErasedStore(Contract):
    """How many pieces of a document lay in a store, as events, artifacts, model-calls or threads."""

    store: Token
    count: int = Field(ge=0)
