"""JSON as material: lists of records become tables, single values become rows, sentences become passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stemma_languages import language as language_of
from stemma_markdown import sentence_ranges

from .material import Material, Passage, Place, Table, gathered

LEAST_WORDS = 6


def read_nested(place: Place, value: Any, language: str) -> Material:
    """The material of a JSON value; the keys on the way to it stand in place of headings."""
    return gathered(_read(place, value, language))


def _read(place: Place, value: Any, language: str) -> Iterator[Material]:
    match value:
        case dict():
            yield from _record(place, value, language)
        case list() if (records := [entry for entry in value if isinstance(entry, dict)]) and len(records) == len(
            value
        ):
            head = tuple(dict.fromkeys(str(key) for record in records for key in record))
            yield Material(tables=(Table(place, head, tuple(tuple(_cell(r.get(k)) for k in head) for r in records)),))
        case list():
            yield from _record(place, {str(number): entry for number, entry in enumerate(value, 1)}, language)
        case _:
            yield from _record(place, {"": value}, language)


def _record(place: Place, record: dict[str, Any], language: str) -> Iterator[Material]:
    single = {key: value for key, value in record.items() if not isinstance(value, dict | list)}
    told = {key: value for key, value in single.items() if _is_prose(value)}
    for number, (key, text) in enumerate(told.items()):
        here = Place(place.origin, place.name, (*place.headings, str(key)))
        yield Material(tuple(_passage(text, span, here, number) for span in sentence_ranges(text, language)))
    rows = tuple((str(key), _cell(value)) for key, value in single.items() if key not in told and value is not None)
    if rows:
        words = language_of(language).words
        yield Material(tables=(Table(place, (words.item, words.statement), rows),))
    for key, value in record.items():
        if key not in single:
            yield from _read(Place(place.origin, place.name, (*place.headings, str(key))), value, language)


def _passage(text: str, span: tuple[int, int], place: Place, number: int) -> Passage:
    return Passage(" ".join(text[span[0] : span[1]].split()), place, number)


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
