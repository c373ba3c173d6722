"""Defects that are planted, so that a proof is shown to find them.

They are planted where every service says something to the server or hears of it, which is nats-py, or into the core
of a service: in this process with a test's ``monkeypatch``, in one that is started by the environment of `planted`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from nats.aio.client import Client
from nats.js.api import Header
from stemma_eventlog.decider import EventStore

from .customizing import env_of

Defect = Callable[[pytest.MonkeyPatch], None]
CHECKPOINTS = "stemma_generation_graph.checkpoints"


def planted(folder: Path, defect: Defect) -> dict[str, str]:
    """What the environment of a process must hold to have a defect."""
    return env_of(folder, code_of(defect))


def code_of(defect: Defect) -> str:
    name = defect.__name__
    return f"from pytest import MonkeyPatch\nfrom {__name__} import {name}\n\n{name}(MonkeyPatch())\n"


def acknowledges_first(patch: pytest.MonkeyPatch) -> None:
    process = Client._process_msg

    async def hasty(client: Client, sid: int, subject: bytes, reply: bytes, *rest: Any) -> None:
        if reply and reply.startswith(b"$JS.ACK."):
            await client.publish(reply.decode(), b"+ACK")
        await process(client, sid, subject, reply, *rest)

    patch.setattr(Client, "_process_msg", hasty)


def publishes_without_ids(patch: pytest.MonkeyPatch) -> None:
    _asks_without(Header.MSG_ID, "", patch)


def appends_without_fence(patch: pytest.MonkeyPatch) -> None:
    _asks_without(Header.EXPECTED_LAST_SUBJECT_SEQUENCE, "stemma.event.", patch)


def _asks_without(header: str, root: str, patch: pytest.MonkeyPatch) -> None:
    """Without the headers that begin like this, under a root of subjects."""
    request = Client.request

    async def careless(client: Client, subject: str, *args: Any, **more: Any) -> Any:
        if (headers := more.get("headers")) and subject.startswith(root):
            more["headers"] = {name: value for name, value in headers.items() if not name.startswith(header)}
        return await request(client, subject, *args, **more)

    patch.setattr(Client, "request", careless)


def takes_a_full_log_for_a_failure(patch: pytest.MonkeyPatch) -> None:
    """A decision that has no room in the log is tried as often as one that fails, and given up."""
    patch.setattr("stemma_eventlog.jetstream.LogFull.is_outage", False)


def takes_a_lost_database_for_a_failure(patch: pytest.MonkeyPatch) -> None:
    """A job whose checkpoints cannot be had is tried as often as one that fails, and given up."""
    for store in ("sqlite", "postgres"):
        patch.setattr(f"{CHECKPOINTS}.{store}.Outage", RuntimeError)


def resumes_at_the_newest(patch: pytest.MonkeyPatch) -> None:
    """A run goes on at the newest checkpoint of its thread, whoever wrote it, and not where it has looked."""

    async def aget_tuple(saver: Any, config: RunnableConfig) -> Any:
        return await saver._saver.aget_tuple(config)

    patch.setattr(f"{CHECKPOINTS}.saving.PinnedSaver.aget_tuple", aget_tuple)


def takes_the_latest_for_the_last(patch: pytest.MonkeyPatch) -> None:
    """Of the checkpoints of a thread that one is read whose process had the latest time of day."""

    async def at_last(saver: Any, config: RunnableConfig) -> RunnableConfig:
        return config

    patch.setattr(f"{CHECKPOINTS}.saving.OneSuccessor._at_last", at_last)


def stops_at_what_is_no_event(patch: pytest.MonkeyPatch) -> None:
    taken_in = EventStore._taken_in

    def strictly(*args: Any) -> Any:
        try:
            return taken_in(*args)
        except Exception as error:
            raise RuntimeError("what lies there is no event") from error

    patch.setattr(EventStore, "_taken_in", strictly)
