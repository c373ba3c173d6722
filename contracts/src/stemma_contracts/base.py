"""The base of every contract model, and the mark of fields whose text is stored."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer

M = TypeVar("M", bound=BaseModel)


class Contract(BaseModel):
    """A message body or a value inside one: immutable, and tolerant of fields that it does not know.

    Readers ignore unknown fields, so that a contract can grow inside its version. What validates is made at the first
    use: a process that starts pays for none of the contracts that it never reads.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Explicit(Contract):
    """A contract of which the fields in ``always_sent`` stand in a message also where they equal their default.

    All others are left out there: a reader of any language has to know their defaults.
    """

    always_sent: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _with_what_is_always_sent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        sent: dict[str, Any] = handler(self)
        return {name: getattr(self, name) for name in self.always_sent} | sent


def invalid_field(message: str, *field: str | int) -> ValidationError:
    """What a validator of a whole model raises about one field, so that the error names it.

    ``field`` is the path to it. Pydantic takes the error over as its own: whoever validates gets one
    `pydantic.ValidationError` with this field in it.
    """
    error = ValueError(message)
    return ValidationError.from_exception_data(
        message, [{"type": "value_error", "loc": field, "input": None, "ctx": {"error": error}}]
    )


def filled_from(cls: type[M], *sources: Any, **own: Any) -> M:
    """A model with what models or dataclasses have in fields of the same names, a later one before an earlier.

    Its ``own`` fields come before all of them. Raises `pydantic.ValidationError` for what is missing or does not fit,
    and `TypeError` for a field that the model does not have, which a contract would leave out without a word.
    """
    fields = cls.model_fields.keys()
    if unknown := own.keys() - fields:
        raise TypeError(f"{cls.__name__} has no {', '.join(sorted(unknown))}")
    found = {name: getattr(source, name) for source in sources for name in _names(source) & fields}
    return cls.model_validate(found | own)


def _names(source: Any) -> Set[str]:
    kind: Any = type(source)
    names: Set[str] = (kind.model_fields if isinstance(source, BaseModel) else kind.__dataclass_fields__).keys()
    return names


@dataclass(frozen=True)
class Stored:
    """Marks a field whose text becomes an artifact of this name. It changes nothing on the wire."""

    name: str
    media_type: str = "text/plain"


def free_texts(message: Contract) -> Iterator[tuple[str, Stored, str]]:
    """The texts of a message that are to be stored: the field, the mark, and the words."""
    for name, field in type(message).model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Stored) and (text := getattr(message, name)) is not None:
                yield name, mark, text
