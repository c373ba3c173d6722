"""Taking all streams from one installation of the server to another: with their sequences, consumers and all in hand.

A single server that is started as one of several deletes the streams that it has. So they are saved from it, while
nobody writes, and loaded into empty servers. Copies of tenants are not saved: they are made anew.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.js.api import StreamConfig
from nats.js.errors import APIError, NotFoundError

from .copies import API_TIMEOUT_S, copies
from .topology import DEFAULT_TENANTS, streams

POLL_S = 0.02
CHUNK_BYTES = 128 * 1024
RESTORING = "RESTORING"
"""The stream that is there while all others are made of a backup."""
_API = "$JS.API.STREAM"
_PAUSES_S = (1.0, 2.0, 4.0)


class NotSaved(Exception):
    """A folder does not hold what was to be loaded, or the server would lose what it has."""


async def save(client: Client, folder: Path, tenants: Sequence[str] = DEFAULT_TENANTS) -> list[str]:
    """Write each stream to a folder that is new, as the server has it now; their names."""
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True)
    names = [stream.name for stream in streams(tenants) if stream.name]
    for name in names:
        about = await save_stream(client, folder, name)
        # What is written last says that all is there.
        (folder / f"{name}.json").write_text(json.dumps(about), encoding="utf-8")
    return names


async def load(client: Client, folder: Path, tenants: Sequence[str] = DEFAULT_TENANTS, replicas: int = 1) -> list[str]:
    """Make each stream that was saved, on so many servers; their names. Raises `NotSaved` where one is there already.

    Consumers that fed copies go, as the copies are not there.
    """
    names = await asyncio.to_thread(_saved_in, folder)
    if not names:
        raise NotSaved(f"{folder} holds no streams")
    taken = [info.config.name for info in await client.jetstream(timeout=API_TIMEOUT_S).streams_info()]
    if there := [name for name in names if name in taken]:
        raise NotSaved(f"the server has {', '.join(there)} already: load into servers that are empty")
    for name in names:
        about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        await load_stream(client, folder, name, about, num_replicas=replicas)
    js = client.jetstream(timeout=API_TIMEOUT_S)
    for copy in (copy for tenant in tenants for copy in copies(tenant)):
        await js.delete_consumer(copy.stream, copy.consumer)
    return names


async def begin_restoring(client: Client) -> None:
    """Mark the server as one whose streams are of an unfinished restore; harmless if it is."""
    mark = StreamConfig(name=RESTORING, subjects=["stemma.restoring"])
    await client.jetstream(timeout=API_TIMEOUT_S).add_stream(mark)


async def is_restoring(client: Client) -> bool:
    try:
        await client.jetstream(timeout=API_TIMEOUT_S).stream_info(RESTORING)
    except NotFoundError:
        return False
    return True


async def end_restoring(client: Client) -> None:
    await client.jetstream(timeout=API_TIMEOUT_S).delete_stream(RESTORING)


def file_of(folder: Path, name: str) -> Path:
    return folder / f"{name}.snapshot"


async def save_stream(client: Client, folder: Path, name: str, *, consumers: bool = True) -> dict[str, Any]:
    """Write a stream, as it is at one moment, to its file; its ``config`` and ``state``, which it is loaded with.

    Raises `NotSaved` where the server ends before all is there, again and again: one that has just become the leader
    of a stream may not have the state of its consumers yet.
    """
    for pause_s in _PAUSES_S:
        try:
            return await _snapshot(client, folder, name, consumers=consumers)
        except NotSaved:
            await asyncio.sleep(pause_s)
    return await _snapshot(client, folder, name, consumers=consumers)


async def _snapshot(client: Client, folder: Path, name: str, *, consumers: bool) -> dict[str, Any]:
    inbox = client.new_inbox()
    chunks = await client.subscribe(inbox, pending_msgs_limit=-1, pending_bytes_limit=-1)
    try:
        asked = {"deliver_subject": inbox, "no_consumers": not consumers, "chunk_size": CHUNK_BYTES}
        told = await _asked(client, f"{_API}.SNAPSHOT.{name}", asked)
        with file_of(folder, name).open("wb") as file:
            while chunk := await chunks.next_msg(API_TIMEOUT_S):
                if not chunk.data:
                    _refuse_a_broken_end(name, chunk.headers)
                    break
                file.write(chunk.data)
                if chunk.reply:  # the last has none
                    await chunk.respond(b"")
    finally:
        await chunks.unsubscribe()
    return {"config": told["config"], "state": told["state"]}


def _refuse_a_broken_end(name: str, headers: dict[str, str] | None) -> None:
    """A snapshot that the server gave up ends with a status that is not that of its end."""
    if headers and headers.get("Status", "204") != "204":
        raise NotSaved(f"{name}: {headers.get('Description', headers['Status'])}")


async def load_stream(client: Client, folder: Path, name: str, about: Mapping[str, Any], **changes: Any) -> None:
    """Make a stream of its file, with changes of its configuration.

    The server knows the ids of its messages, by which it refuses them twice, only when it is started again.
    """
    told = await _asked(client, f"{_API}.RESTORE.{name}", {**about, "config": {**about["config"], **changes}})
    async with aclosing(_chunks_of(file_of(folder, name))) as chunks:
        async for chunk in chunks:
            await _given(client, told["deliver_subject"], chunk)
    _raise_error(json.loads((await _given(client, told["deliver_subject"], b"")).data))


def _saved_in(folder: Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.json"))


async def _chunks_of(file: Path) -> AsyncGenerator[bytes, None]:
    with file.open("rb") as opened:
        while chunk := await asyncio.to_thread(opened.read, CHUNK_BYTES):
            yield chunk


async def _given(client: Client, subject: str, chunk: bytes) -> Msg:
    """The answer to a chunk; the server that takes them may be known to ours a moment after it has said where."""
    async with asyncio.timeout(API_TIMEOUT_S):
        while True:
            try:
                return await client.request(subject, chunk, timeout=API_TIMEOUT_S)
            except NoRespondersError:
                await asyncio.sleep(POLL_S)


async def _asked(client: Client, subject: str, asked: Any) -> dict[str, Any]:
    body = json.dumps(asked).encode()
    told: dict[str, Any] = json.loads((await client.request(subject, body, timeout=API_TIMEOUT_S)).data)
    _raise_error(told)
    return told


def _raise_error(told: dict[str, Any]) -> None:
    if "error" in told:
        raise APIError.from_error(told["error"])
