"""Logs of earlier releases fold for ever to what they folded to then; what a later release tells may be more."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import DocumentView
from stemma_testkit.document_events import view_after

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.jsonl"))
_AS_JSON = TypeAdapter(Any)


def events_in(history: Path) -> Iterator[e.AnyEvent]:
    """A line is the wire name and the body of an event, in the order of the log."""
    for line in history.read_text("utf-8").splitlines():
        recorded = json.loads(line)
        event = registry.decode(recorded["type"], json.dumps(recorded["data"]).encode())
        assert isinstance(event, e.AnyEvent)
        yield event


def told(view: DocumentView) -> Any:
    return view.model_dump(mode="json")


def lacking(then: Any, now: Any, place: str = "") -> list[str]:
    """Where something that was told then is not told now."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [gone for key in then for gone in lacking(then[key], now.get(key), f"{place}.{key}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [gone for n, (a, b) in enumerate(zip(then, now, strict=True)) for gone in lacking(a, b, f"{place}.{n}")]
    return [] if then == now else [f"{place}: {then!r} is {now!r}"]


@pytest.mark.req("E3", "P18")
@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.stem)
def test_a_log_of_an_earlier_release_is_told_as_it_was(history: Path) -> None:
    then = json.loads(history.with_suffix(".view.json").read_text("utf-8"))
    assert lacking(then, told(view_after(*events_in(history)))) == []


@pytest.mark.req("E3")
@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.stem)
def test_a_view_is_read_again_as_it_was_sent(history: Path) -> None:
    view = view_after(*events_in(history))
    assert DocumentView.model_validate_json(view.model_dump_json()) == view


def test_there_are_histories_with_most_types_of_events() -> None:
    seen = {type(event) for history in HISTORIES for event in events_in(history)}
    assert len(HISTORIES) >= 3
    assert len(seen) > len(e.AnyEvent.__args__) / 2


def test_what_is_not_told_any_more_is_found() -> None:
    then = {"sections": {"a": {"versions": [{"number": 1}], "status": "edited"}}}
    assert lacking(then, then | {"more": 1}) == []
    assert lacking(then, {"sections": {"a": {"versions": [{"number": 2}], "status": "edited"}}}) != []
    assert lacking(then, {"sections": {}}) != []
