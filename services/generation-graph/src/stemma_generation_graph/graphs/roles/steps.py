"""What holds for every node of the roles graph: its time, the check of its update, and what a failure becomes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from stemma_models import ModelError
from stemma_telemetry import get_logger

from stemma_generation_graph.deps import RunContext
from stemma_generation_graph.graphs.transitions import FAILURES
from stemma_generation_graph.settings import RolesSettings

from .schemas import Failure, InvalidUpdate, NodeTime, check_update

Update = dict[str, Any]
RoleNode = Callable[[Any, Runtime[RunContext]], Awaitable[Update]]

log = get_logger()


class NoRoleLeft(Exception):
    """No role wrote anything that a text could be made of."""


class Steps:
    def __init__(self, settings: RolesSettings, inspection: Path | None = None) -> None:
        self._settings = settings
        self._inspection = inspection

    def deadline(self, state: Any) -> float:
        """When the time of the whole graph is over, by the clock of the event loop."""
        return float(state["started_at"]) + self._settings.graph_limit_s

    def guarded(self, node: RoleNode, *, bounded: bool = True) -> RoleNode:
        """The same node: a failure in it is told in the state, and its time is noted.

        A bounded node ends at the deadline of the graph.
        """

        @wraps(node)
        async def run(state: Any, runtime: Runtime[RunContext]) -> Update:
            started = asyncio.get_running_loop().time()
            deadline = self.deadline(state) if bounded else None
            update = await self._attempted(node, state, runtime, deadline)
            return await self._counted(node.__name__, state, update, started)

        return run

    def checked(self, node: RoleNode) -> RoleNode:
        """The error handler itself: its update is checked and its time is noted; nobody handles what it raises."""

        @wraps(node)
        async def run(state: Any, runtime: Runtime[RunContext]) -> Update:
            started = asyncio.get_running_loop().time()
            update = await node(state, runtime)
            check_update(update)
            return await self._counted(node.__name__, state, update, started)

        return run

    async def _counted(self, node: str, state: Any, update: Update, started: float) -> Update:
        seconds = round(asyncio.get_running_loop().time() - started, 4)
        time = NodeTime(node=node, role_id=_role_id(state), seconds=seconds)
        await self._tell(node, state, update, seconds)
        return {**update, "timings": [time.model_dump()]}

    async def _attempted(
        self, node: RoleNode, state: Any, runtime: Runtime[RunContext], deadline: float | None
    ) -> Update:
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                update = await node(state, runtime)
            check_update(update)
            return update
        except (NoRoleLeft, InvalidUpdate, TimeoutError, *FAILURES) as error:
            if isinstance(error, TimeoutError) and not limit.expired():
                raise
            failure = Failure(
                node=node.__name__, role_id=_role_id(state), error_type=type(error).__name__, detail=_detail(error)
            )
            return {"failures": [failure.model_dump()], "timed_out": limit.expired()}

    async def _tell(self, node: str, state: Any, update: Update, seconds: float) -> None:
        if self._settings.log_state:
            sizes = {name: len(json.dumps(value, default=str)) for name, value in update.items()}
            log.info("state_updated", node=node, seconds=seconds, sizes=sizes)
        if self._inspection is not None and "graph_execution_id" in state:
            folder = self._inspection / state["graph_execution_id"]
            await asyncio.to_thread(_write, folder, f"{len(state['timings']):02}-{node}.json", {**state, **update})


def _write(folder: Path, name: str, state: Update) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(state, indent=1, default=str), encoding="utf-8")


def _role_id(state: Any) -> str:
    role = state.get("role")
    return str(role["id"]) if role else ""


def _detail(error: Exception) -> str:
    """What may be told of an error: the words of our own errors hold no text of a document."""
    if isinstance(error, ModelError):
        return error.detail
    return str(error)[:300] if isinstance(error, InvalidUpdate | NoRoleLeft) else ""
