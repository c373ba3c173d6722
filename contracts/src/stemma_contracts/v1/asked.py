"""What requests have in common."""

from typing import Annotated

from pydantic import Field, StrictInt, StringConstraints

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

Actor = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.@-]{1,64}$")]

Reference = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Request(Contract):
    """What every request carries. ``request_id`` is chosen by the caller and unique in its tenant.

    The same id with the same body gets the old answer, another body is rejected; without an id one is
    made from the sequence of the message: ``seq-<n>``, which no caller may choose. ``actor`` names the
    person, as the caller says; on the subject of a person it counts for nothing.
    """

    request_id: Token | None = None
    actor: Actor = "unknown"


class DocumentRequest(Request):
    """A request about one document."""

    document_id: Token


class SectionRequest(DocumentRequest):
    """A request about one section."""

    section_id: Token


class SectionDecision(SectionRequest):
    """A decision about one section in the version that the person saw."""

    version: StrictInt = Field(ge=1)
