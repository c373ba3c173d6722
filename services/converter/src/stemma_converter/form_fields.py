"""The fields of a form, as they are told to others."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from stemma_contracts.shown import shown
from stemma_contracts.v1.forms import MOST_FIELDS, FormField
from stemma_forms import Field, FormError, find_fields


def form_fields(content: bytes) -> tuple[tuple[FormField, ...], str]:
    """The fields in the order of the form; none, and why, if it cannot be read as one."""
    try:
        return tuple(_told(field) for field in find_fields(content)[:MOST_FIELDS]), ""
    except FormError as error:
        return (), str(error)


def accepted(fields: Iterable[FormField]) -> str:
    """The same for forms whose fields accept the same answers, in whatever order and place they stand."""
    told = sorted(field.model_dump_json(include={"field_id", "kind", "allowed", "most", "unit"}) for field in fields)
    return sha256("\n".join(told).encode()).hexdigest()


def _told(field: Field) -> FormField:
    return FormField(
        field_id=field.id,
        place=field.place,
        group=shown(field.group),
        question=shown(field.question),
        kind=field.kind.value,
        allowed=field.allowed,
        suggested=field.suggested,
        most=field.limit.most if field.limit else None,
        unit=field.limit.unit.value if field.limit else "words",
        current=field.current,
        confidence=field.confidence,
    )
