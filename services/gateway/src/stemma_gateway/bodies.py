"""The bodies of commands, made of the contracts: every field of a request, but for what its address says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pydantic import BaseModel, ConfigDict, create_model, model_validator
from stemma_contracts import Family, registry
from stemma_contracts.v1.requests import CreateDocument, DocumentRequest, Request

IN_ADDRESS = "document_id"
MOST_DEEP = 50
"""Values in values of a body; no contract has a tenth of that."""


class Body(BaseModel):
    """A field that nobody knows is refused: it may be a misspelt name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _of_json(cls, given: object) -> object:
        return _whole(given)


def _whole(given: object, depth: int = 0) -> object:
    """JSON has one kind of number: 2.0 is the integer 2."""
    if depth > MOST_DEEP:
        raise ValueError(f"values are nested deeper than {MOST_DEEP} times")
    match given:
        case float() if given.is_integer():
            return int(given)
        case dict():
            return {name: _whole(value, depth + 1) for name, value in given.items()}
        case list():
            return [_whole(value, depth + 1) for value in given]
        case _:
            return given


def commands() -> Iterator[tuple[str, type[DocumentRequest]]]:
    """The requests about one document, by their names."""
    for entry in registry.entries(Family.REQUEST):
        if issubclass(entry.cls, DocumentRequest):
            yield entry.token, entry.cls


@cache
def body_of(cls: type[Request]) -> type[Body]:
    fields = {name: (field.annotation, field) for name, field in cls.model_fields.items() if name != IN_ADDRESS}
    model: type[Body] = create_model(cls.__name__, __base__=Body, __doc__=cls.__doc__, **fields)  # type: ignore[call-overload]
    return model


def request_of(cls: type[Request], body: Body, **more: object) -> Request:
    """The request that a body asks for; raises `pydantic.ValidationError` for one that contradicts itself."""
    return cls.model_validate({**body.model_dump(exclude_unset=True), **more})


CreateBody = body_of(CreateDocument)
