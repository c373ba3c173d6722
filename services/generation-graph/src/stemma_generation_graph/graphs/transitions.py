"""One span and one log line per node, with names only; two nodes as one step."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from langgraph.errors import GraphInterrupt
from langgraph.types import Command
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

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
