"""One span and one log line per node, with names only."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
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
            fields = sorted(update.update or {}) if isinstance(update, Command) else sorted(update)
            log.info("node_finished", node=node.__name__, seconds=seconds, fields=fields)
        return update

    return run
