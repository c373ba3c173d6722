"""What both checkpointers add to LangGraph's savers: the last checkpoint of a thread, and whose fault a refusal is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)


class OneSuccessor(BaseCheckpointSaver[Any], ABC):
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

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint, without an id the last of its thread; raises `Outage`."""
        with self.outages():
            return await super().aget_tuple(config if get_checkpoint_id(config) else await self._at_last(config))

    async def _at_last(self, config: RunnableConfig) -> RunnableConfig:
        place = config["configurable"]
        last = await self.last_id(str(place["thread_id"]), place.get("checkpoint_ns", ""))
        return {**config, "configurable": {**place, "checkpoint_id": last}} if last else config

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; raises `TakenOver` if the one before it has another successor, and `Outage`."""
        with self.outages():
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote; raises `Outage`."""
        with self.outages():
            await super().aput_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread with all its checkpoints; raises `Outage`."""
        with self.outages():
            await super().adelete_thread(thread_id)
