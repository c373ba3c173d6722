"""A thread as it was when somebody looked at it, so that a run goes on from there and from nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    copy_checkpoint,
    get_checkpoint_id,
)
from langgraph.checkpoint.base import DeltaChannelHistory as History


class PinnedSaver(BaseCheckpointSaver[Any]):
    """The saver of one run: its thread begins where it was ``found``, or, if nothing was, as a new one.

    LangGraph by itself begins at the newest checkpoint, which another process may have written since; and a config
    that names a checkpoint makes it run finished tasks again. What this run writes goes to the store as ever, which
    refuses it if the checkpoint has a successor by now.
    """

    def __init__(self, saver: BaseCheckpointSaver[Any], found: CheckpointTuple | None) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._found = found

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """What was found, as long as no other checkpoint is asked for by its id."""
        if get_checkpoint_id(config) is not None or config["configurable"].get("checkpoint_ns"):
            return await self._saver.aget_tuple(config)
        if self._found is None:
            return None
        return self._found._replace(checkpoint=copy_checkpoint(self._found.checkpoint))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the store does it."""
        return await self._saver.aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As the store does it."""
        await self._saver.aput_writes(config, writes, task_id, task_path)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, History]:
        """As the store does it."""
        return await self._saver.aget_delta_channel_history(config=config, channels=channels)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """As the store does it."""
        return self._saver.get_next_version(current, channel)
