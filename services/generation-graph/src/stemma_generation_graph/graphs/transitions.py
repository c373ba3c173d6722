"""What graphs share: how a state begins and its updates are merged; one span and one log line per node."""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from types import UnionType
from typing import Any, TypedDict, TypeVar, get_origin, get_type_hints

from langgraph.errors import GraphInterrupt
from langgraph.types import Command
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_models import ModelError
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

T = TypeVar("T")
Entry = dict[str, Any]


def empty_state(schema: type[T], **given: Any) -> T:
    """A state in which every field is empty but those that are given: ``""``, 0, false, ``[]``, ``{}`` or nothing."""
    kinds = {name: get_origin(hint) or hint for name, hint in get_type_hints(schema).items() if name not in given}
    state: Any = {name: None if kind is UnionType else kind() for name, kind in kinds.items()} | given
    return state  # type: ignore[no-any-return]


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


def _fields(update: Update) -> dict[str, Any]:
    return dict(update.update or {}) if isinstance(update, Command) else update
