"""One span and one log line per node, with names only; two nodes as one step."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, TypedDict, TypeVar

from langgraph.errors import GraphInterrupt
from langgraph.types import Command
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_models import ModelError
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

T = TypeVar("T")
Entry = dict[str, Any]


class Change(TypedDict, total=False):
    """An update for `add_or_remove`: entries to add, and references to remove; what is in both stays."""

    add: list[Entry]
    remove: list[str]


def replace(_old: T, new: T) -> T:
    return new


def append(old: list[T] | None, new: list[T]) -> list[T]:
    return [*(old or []), *new]


def merge_by_section(old: Mapping[str, T] | None, new: Mapping[str, T]) -> dict[str, T]:
    """Replaces the entries of the sections that the update names and keeps the others."""
    return {**(old or {}), **new}


def add_or_remove(old: list[Entry] | None, change: Change | list[Entry]) -> list[Entry]:
    """Removes and adds entries, each once by its ``reference``; a plain list is added."""
    wanted: Change = change if isinstance(change, dict) else {"add": change}
    kept = [entry for entry in old or [] if entry["reference"] not in wanted.get("remove", [])]
    return list({entry["reference"]: entry for entry in [*kept, *wanted.get("add", [])]}.values())


FAILURES = (ModelError, ArtifactMissing, ArtifactCorrupt)
"""All else, such as a store that does not answer or a bug of ours, ends the job, which is delivered again."""


Update = dict[str, Any] | Command[Any]
Node = Callable[..., Awaitable[Update]]

log = get_logger()


def noted(node: Node) -> Node:
    """The same node in a span; it logs ``node_finished`` with its name, its duration and the fields that it set."""
    attributes: dict[str, str] = {Attr.NODE: node.__name__}

    @wraps(node)
    async def run(*args: Any, **kwargs: Any) -> Update:
        started = time.perf_counter()
        name = f"{Span.NODE} {node.__name__}"
        with span(name, attributes=attributes, expected=(GraphInterrupt,)):
            update = await node(*args, **kwargs)
            seconds = round(time.perf_counter() - started, 4)
            log.info("node_finished", node=node.__name__, seconds=seconds, fields=sorted(_fields(update)))
        return update

    return run


def in_one_step(first: Node, then: Node) -> Node:
    """Two nodes that always follow each other as one step of the graph, each with its own span and log line.

    A step costs LangGraph a third of a millisecond, whatever its node does (`docs/bench.md`). ``then`` is given what
    ``first`` set as it is, so that only fields that were empty may have a reducer; both may set ``messages``.
    """

    @wraps(then)
    async def run(state: Mapping[str, Any], runtime: Any) -> Update:
        update = _fields(await first(state, runtime))
        last = await then({**state, **update}, runtime)
        later = _fields(last)
        messages = [*update.get("messages", ()), *later.get("messages", ())]
        both = {**update, **later, **({"messages": messages} if messages else {})}
        return Command(update=both, goto=last.goto) if isinstance(last, Command) else both

    run.__name__ = first.__name__
    return run


def _fields(update: Update) -> dict[str, Any]:
    return dict(update.update or {}) if isinstance(update, Command) else update
