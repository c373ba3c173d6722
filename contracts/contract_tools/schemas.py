"""JSON Schemas (2020-12) of the registered contracts, as a reader of the wire sees them."""

from __future__ import annotations

import json
from typing import Any

import stemma_contracts.v1  # noqa: F401  (fills the registry)
from stemma_contracts import Entry, Registry, registry

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def schema_of(entry: Entry) -> Schema:
    """The schema of one contract, with its wire name as ``$id``."""
    return {"$schema": DIALECT, "$id": f"{entry.ce_type}.json", **entry.cls.model_json_schema()}


def schemas(of: Registry = registry) -> dict[str, Schema]:
    """All schemas by wire name."""
    return {entry.ce_type: schema_of(entry) for entry in of.entries()}


def as_json(value: Any) -> str:
    """The one way in which generated JSON is written."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
