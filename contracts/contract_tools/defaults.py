"""What a field means that a message leaves out."""

from __future__ import annotations

import json
from typing import Any

from .shapes import Schema, alternatives

_NONE = object()


def default_of(field: Schema, defs: Schema) -> Any:
    """The default of an optional field, without what is at its own default in it.

    That has a field of its own, where it is compared; a new optional field there adds nothing here.
    """
    return _told(field["default"], field, defs) if "default" in field else _NONE


def shown(field: Schema) -> str:
    """The default of an optional field for people."""
    return json.dumps(field["default"], ensure_ascii=False) if "default" in field else "not told"


def _told(value: Any, schema: Schema, defs: Schema) -> Any:
    variants = alternatives(schema, defs)
    if isinstance(value, list):
        items: Schema = next((v["items"] for v in variants if "items" in v), {})
        return [_told(item, items, defs) for item in value]
    if isinstance(value, dict):
        fields: Schema = next((v["properties"] for v in variants if "properties" in v), {})
        told = {k: v for k, v in value.items() if v != fields.get(k, {}).get("default", _NONE)}
        return {k: _told(v, fields.get(k, {}), defs) for k, v in told.items()}
    return value
