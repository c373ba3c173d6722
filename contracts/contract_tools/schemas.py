"""JSON Schemas (2020-12) of the registered contracts, as a reader of the wire sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import stemma_contracts.v1  # noqa: F401  (fills the registry)
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from stemma_contracts import Entry, Registry, registry

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SHARED = "shared.json"
"""The file of the types that contracts have in common."""
WIDTH = 120
Schema = dict[str, Any]


class _Untitled(GenerateJsonSchema):
    """Without the titles that say the name of a field again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(entry: Entry) -> Schema:
    """The schema of one contract, whole, with its wire name as ``$id``."""
    return _head(entry) | entry.cls.model_json_schema(schema_generator=_Untitled)


def schemas(of: Registry = registry) -> dict[str, Schema]:
    """All schemas by file name; the types in them stand once, in the shared file."""
    entries = list(of.entries())
    refs, together = models_json_schema(
        [(entry.cls, "validation") for entry in entries],
        ref_template=f"{SHARED}#/$defs/{{model}}",
        schema_generator=_Untitled,
    )
    defs = together["$defs"]
    names = {entry.ce_type: refs[entry.cls, "validation"]["$ref"].rpartition("/")[2] for entry in entries}
    own = {f"{entry.ce_type}.json": _head(entry) | defs[names[entry.ce_type]] for entry in entries}
    shared = {name: schema for name, schema in defs.items() if name not in names.values()}
    return {SHARED: {"$schema": DIALECT, "$id": SHARED, "$defs": shared}, **own}


def committed_schema(folder: Path, ce_type: str) -> Schema | None:
    """The committed schema of a contract, whole; None if there is none."""
    path, shared = folder / f"{ce_type}.json", folder / SHARED
    if not path.exists():
        return None
    defs = {"$defs": _read(shared)["$defs"]} if shared.exists() else {}
    return defs | _read(path)


def as_json(value: Any, indent: int = 0) -> str:
    """The one way in which generated JSON is laid out: what fits into a line is in one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {as_json(each, indent + 2)}" for key, each in value.items()]
    else:
        parts = [as_json(each, indent + 2) for each in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{end}"


def _head(entry: Entry) -> Schema:
    return {"$schema": DIALECT, "$id": f"{entry.ce_type}.json"}


def _read(path: Path) -> Schema:
    return dict(json.loads(path.read_text(encoding="utf-8")))
