"""Records that the material describes by a table of their fields, as entities and as tables of a database."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .plain import safe
from .request import Request
from .tables import Table

_FIELDS = re.compile(r"\b(?:fields?|columns?|attributes?|data)\b", re.I)
_KEPT = re.compile(r"\b(?:kept|retention|keep|deleted)\b", re.I)
_DATE = re.compile(r"(?: on| until|\bdate)$")
_TIME = re.compile(r"(?: at|\btime)$")
_WHETHER = re.compile(r"\b(?:allowed|needs|in service|is|has|whether|active)\b")
_NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Entity:
    """A kind of record: its fields as the material names them, and how long it is kept."""

    name: str
    fields: tuple[str, ...]
    kept: str = ""

    @property
    def table(self) -> str:
        """The name of its table."""
        return _identifier(self.name)


def entities(request: Request) -> list[Entity]:
    """The records of every table of the material that lists fields."""
    tables = [unit.table for unit in (*request.brief_units, *request.units) if unit.table]
    return [entity for table in tables for entity in _entities(table)]


def _entities(table: Table) -> list[Entity]:
    fields = next((i for i, head in enumerate(table.header) if i and _FIELDS.search(head)), None)
    if fields is None:
        return []
    kept = next((i for i, head in enumerate(table.header) if _KEPT.search(head)), None)
    return [
        Entity(row[0], tuple(map(str.strip, row[fields].split(","))), row[kept] if kept is not None else "")
        for row in table.rows
    ]


def fields_table(entity: Entity) -> str:
    """The fields of an entity with their types."""
    rows = [f"| {safe(field)} | {_meaning(field)} |" for field in entity.fields]
    return "\n".join(["| Field | Type |", "| --- | --- |", *rows])


def entity_table(entity: Entity, tables: Sequence[str]) -> str:
    """The columns of an entity's table; a field that is called like another table refers to it."""
    rows = [f"| {column} | {kind} | {note} |" for column, kind, note in _columns(entity, tables)]
    return "\n".join(["| Column | Type | Note |", "| --- | --- | --- |", *rows])


def _columns(entity: Entity, tables: Sequence[str]) -> list[tuple[str, str, str]]:
    columns = [_column(field, tables) for field in entity.fields]
    if not any(note == "primary key" for _, _, note in columns):
        columns.insert(0, ("id", "bigint", "primary key"))
    return columns


def _column(field: str, tables: Sequence[str]) -> tuple[str, str, str]:
    name = _identifier(field)
    if name in tables:
        return f"{name}_number", "bigint", f"refers to {name}"
    if name == "number":
        return name, "bigint", "primary key"
    kinds = {"a date": "date", "a point in time": "timestamp with time zone", "yes or no": "boolean"}
    may_be_empty = "may be empty" if name.startswith(("left", "reason")) else "required"
    return name, kinds.get(_meaning(field), "text"), may_be_empty


def _meaning(field: str) -> str:
    if _DATE.search(field):
        return "a date"
    if _TIME.search(field):
        return "a point in time"
    return "yes or no" if _WHETHER.search(field) else "a number" if field == "number" else "text"


def _identifier(name: str) -> str:
    return _NOT_A_WORD.sub("_", name.lower()).strip("_") or "record"
