"""What both checkpointers add to LangGraph's savers, and the report of the threads that they keep."""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Final, Protocol, runtime_checkable

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint import base
from langgraph.checkpoint.base import DeltaChannelHistory as History
from stemma_contracts.v1.outcomes import ThreadsHeld
from stemma_telemetry import get_logger, names

SETUP: Final = "run stemma-generation-graph --setup"
ONE_SUCCESSOR: Final = "stemma_one_successor"


class CheckpointsUnusable(RuntimeError):
    """The checkpointer cannot be used as it is; refuses the start."""


def cannot_set_up(error: Exception, settings: str) -> CheckpointsUnusable:
    """The refusal for a database without which ``--setup`` can do nothing; the error's own words may hold a secret."""
    why = f"the checkpointer's database cannot be reached or written ({type(error).__name__})"
    return CheckpointsUnusable(f"{why}; see to it and to {settings}, then run --setup again")


def require(names: Set[str], found: Set[str]) -> None:
    """Raises `CheckpointsUnusable` that lists what is missing."""
    if missing := ", ".join(sorted(names - found)):
        raise CheckpointsUnusable(f"checkpointer tables are missing ({missing}): {SETUP}")


class OneSuccessor(base.BaseCheckpointSaver[Any], ABC):
    """Stands before a saver whose database refuses a checkpoint a second successor."""

    @abstractmethod
    def outages(self) -> AbstractContextManager[None]:
        """A second successor is `TakenOver`; a database that is away, or has no room, an `Outage`."""

    @abstractmethod
    async def last_id(self, thread_id: str, namespace: str) -> str | None:
        """The checkpoint of a thread that has no successor.

        Ids of checkpoints are made of the time of day, so that the newest of a thread is not the greatest if a clock
        was set back, or that of another replica is slow.
        """

    async def aget_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        """Read a checkpoint, without an id the last of its thread; raises `Outage`."""
        with self.outages():
            return await super().aget_tuple(config if base.get_checkpoint_id(config) else await self._at_last(config))

    async def _at_last(self, config: RunnableConfig) -> RunnableConfig:
        place = config["configurable"]
        last = await self.last_id(str(place["thread_id"]), place.get("checkpoint_ns", ""))
        return {**config, "configurable": {**place, "checkpoint_id": last}} if last else config

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: base.Checkpoint,
        metadata: base.CheckpointMetadata,
        new_versions: base.ChannelVersions,
    ) -> RunnableConfig:
        with self.outages():
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with self.outages():
            await super().aput_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        with self.outages():
            await super().adelete_thread(thread_id)


class PinnedSaver(base.BaseCheckpointSaver[Any]):
    """The saver of one run: its thread begins where it was ``found``, or, if nothing was, as a new one.

    LangGraph by itself begins at the newest checkpoint, which another process may have written since; and a config
    that names a checkpoint makes it run finished tasks again. What this run writes goes to the store as ever, which
    refuses it if the checkpoint has a successor by now.
    """

    def __init__(self, saver: base.BaseCheckpointSaver[Any], found: base.CheckpointTuple | None) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._found = found

    async def aget_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        """What was found, as long as no other checkpoint is asked for by its id."""
        if base.get_checkpoint_id(config) is not None or config["configurable"].get("checkpoint_ns"):
            return await self._saver.aget_tuple(config)
        if self._found is None:
            return None
        return self._found._replace(checkpoint=base.copy_checkpoint(self._found.checkpoint))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: base.Checkpoint,
        metadata: base.CheckpointMetadata,
        new_versions: base.ChannelVersions,
    ) -> RunnableConfig:
        return await self._saver.aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._saver.aput_writes(config, writes, task_id, task_path)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, History]:
        return await self._saver.aget_delta_channel_history(config=config, channels=channels)

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)


EVERY_S = 24 * 3600.0
MOST = 200
"""Threads in one message; their ids have up to 250 characters."""

Publish = Callable[[ThreadsHeld, str], Awaitable[None]]


@runtime_checkable
class HoldsThreads(Protocol):
    """A checkpointer that tells what it keeps."""

    async def held(self) -> list[tuple[str, str]]:
        """Every thread with its tenant; one that tells no tenant is left out."""


@runtime_checkable
class ErasesThreads(Protocol):
    """A checkpointer that can be rid of all that it has of a document."""

    async def threads_of(self, document_id: str) -> list[str]:
        """The threads of a document, also those that tell no tenant."""

    async def forget_deleted(self) -> None:
        """Have what was deleted leave the files of the database, as far as it can be had."""


async def report_forever(store: HoldsThreads, publish: Publish, every_s: float) -> None:
    """Report now and every so many seconds, until cancelled."""
    while True:
        try:
            await report_threads(store, publish)
        except Exception as error:
            get_logger().warning(names.Log.SWEEP_FAILED, error=error)
        await asyncio.sleep(every_s)


async def report_threads(store: HoldsThreads, publish: Publish) -> None:
    """Report the threads of each document. The message id makes a second report on one day a duplicate."""
    documents: dict[tuple[str, str], list[str]] = defaultdict(list)
    for thread_id, tenant in sorted(await store.held()):
        documents[tenant, thread_id.partition(".")[0]].append(thread_id)
    for (tenant, document_id), threads in documents.items():
        for some in (tuple(threads[at : at + MOST]) for at in range(0, len(threads), MOST)):
            name = hashlib.sha256(f"{datetime.now(UTC).date()} {tenant} {some}".encode()).hexdigest()[:32]
            job_id = f"{document_id}.threads"
            held = ThreadsHeld(job_id=job_id, tenant=tenant, document_id=document_id, threads=some)
            await publish(held, f"threads.{name}")
