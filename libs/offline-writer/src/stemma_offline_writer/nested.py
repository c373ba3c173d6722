"""JSON as material: lists of records become tables, single values become rows, sentences become passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stemma_languages import language as language_of

from .material import Material, Place, gathered, table_of
from .passages import MARGIN, PassageReader

LEAST_WORDS = 6


def read_nested(place: Place, value: Any) -> Material:
    """The material of a JSON value; the keys on the way to it stand in place of headings."""
    return gathered(_read(place, value))


def _read(place: Place, value: Any) -> Iterator[Material]:
    match value:
        case [*records] if all(isinstance(record, dict) for record in records):
            head = list(dict.fromkeys(str(key) for record in records for key in record))
            rows = ([_cell(record.get(key)) for key in head] for record in records)
            yield Material(tables=tuple(table_of(place, (head, *rows))))
        case [*entries]:
            yield from _record(place, {str(number): entry for number, entry in enumerate(entries, 1)})
        case dict():
            yield from _record(place, value)
        case _:
            yield from _record(place, {"": value})


def _record(place: Place, record: dict[str, Any]) -> Iterator[Material]:
    words = language_of(place.language).words
    reader, rows, nested = PassageReader(place.language), [(words.item, words.statement)], list[Material]()
    for number, (key, value) in enumerate(record.items()):
        here = replace(place, headings=(*place.headings, str(key)))
        if isinstance(value, dict | list):
            nested += _read(here, value)
        elif _is_prose(value):
            reader.paragraph(value, MARGIN, here, number, is_item=False)
        elif value is not None:
            rows.append((str(key), _cell(value)))
    yield Material(tuple(reader.passages), tuple(table_of(place, rows)))
    yield from nested


def _is_prose(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return len(value.split()) >= LEAST_WORDS or value.rstrip().endswith(("。", ". ", "！"))


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(map(_cell, value))
        case dict():
            return ", ".join(f"{key}: {_cell(entry)}" for key, entry in value.items())
        case _:
            return " ".join(str(value).split())
