"""Answers to requests, read at ``stemma.answer.v1.<tenant>.<request_id>``, also by a late caller."""

from typing import Any, Self

from pydantic import Field

from stemma_contracts import problems
from stemma_contracts.base import Contract
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Digest, Token

from .erasure import ErasedStore
from .plans import Plan


def _with_all_codes(schema: dict[str, Any]) -> None:
    schema["description"] = f"what is wrong, for programs; a later release may add codes:\n{problems.described()}"


class Problem(Contract):
    """What is wrong: the field (dotted path, ``""`` for the whole) and why.

    ``message`` is the English sentence of ``code`` with ``params`` in its places. Without a code (from a release before
    codes, or for what has none) the message is all that is known.
    """

    field: str
    message: str
    code: str = Field(default="", json_schema_extra=_with_all_codes)
    params: dict[str, str | int | float] = Field(default={}, description="what the sentence of the code names")

    @classmethod
    def of(cls, code: str, field: str = "", /, **params: problems.Param) -> Self:
        """The problem with this code. Raises `ValueError` unless the parameters are those of the code."""
        params = problems.shortened(params)
        return cls(field=field, message=problems.message(code, params), code=code, params=params)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class Answer(Contract):
    """What every answer carries.

    ``request_sequence`` is the stream sequence that the server acknowledged the request with, and
    ``request_digest`` the SHA-256 of its body: by either a caller knows the answer to its own message
    when an id was used twice.
    """

    request_id: Token
    request_sequence: int
    request_digest: Digest


@registry.contract("stemma.request.accepted.v1", Family.ANSWER)
class RequestAccepted(Answer):
    """The request took effect. ``ignored_fields`` are fields that this version does not know.

    ``section_ids`` are all sections that it was about, in the order in which it took effect; ``section_id`` is the one
    if it is just one.
    """

    document_id: Token
    section_id: Token | None = None
    export_id: Token | None = None
    return_id: Token | None = None
    ignored_fields: tuple[str, ...] = ()
    section_ids: tuple[Token, ...] = ()
    graph_execution_ids: dict[Token, str] = Field(
        default={}, description="by section, the graph executions that the request started at once (UUID)"
    )
    sequence: int = Field(
        default=0, ge=0, description="of its last event in the log: what is read as of it or later knows the request"
    )
    held_up_by: dict[Token, tuple[Token, ...]] = Field(
        default={}, description="by section that it queued: the sections that have to be settled, and not stale, first"
    )
    plan: Plan | None = Field(default=None, description="what was asked for is not done: this is what it would lead to")
    would_erase: tuple[ErasedStore, ...] = Field(
        default=(), description="what an erasure, which is not done, would take"
    )


@registry.contract("stemma.request.rejected.v1", Family.ANSWER)
class RequestRejected(Answer):
    """The request changed nothing; ``problems`` says which fields are wrong and why.

    ``ignored_fields`` are fields that this version does not know: none is a problem, but one may be a misspelt name.
    """

    problems: tuple[Problem, ...]
    document_id: Token | None = None
    ignored_fields: tuple[str, ...] = ()
