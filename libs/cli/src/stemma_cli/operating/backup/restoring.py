"""Makes an empty system what a backup says; a restore that fails or is killed leaves nothing behind.

While it goes on there is a stream ``RESTORING``: whoever restores next takes away what is there and begins anew.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_messaging.lost import consumers_of
from stemma_provisioning import Bounds, provision
from stemma_provisioning.moving import RESTORING, begin_restoring, end_restoring, load_stream
from stemma_provisioning.replicas import Replicas

from stemma_cli.exit_codes import CliError, ExitCode

from .checkpoints import CheckpointPlace
from .manifest import Manifest, StreamPart
from .taking import API_TIMEOUT_S, stream_names

_TOLD_ANEW = f"KV_{subjects.CAPABILITIES_BUCKET}"
"""Services tell what they can do whenever they start: it is no reason not to restore."""
_MAY_BE_CUT = {"deny_delete": False, "deny_purge": False}

Tell = Callable[[str], None]


async def require_empty(client: Client) -> None:
    """Raises `CliError` where anything is stored, or a service is at work; what a restore left is nothing."""
    js = client.jetstream(timeout=API_TIMEOUT_S)
    names = await stream_names(js)
    for name in () if RESTORING in names else names:
        if name != _TOLD_ANEW and (await js.stream_info(name)).state.messages:
            hint = "restore into a folder or a server that has never been used"
            raise CliError(ExitCode.FAILED, f"the system is not empty: there are messages in {name}", hint)
    for queue in (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES):
        for consumer in await consumers_of(js, queue) if queue in names else ():
            if is_served(consumer):
                raise CliError(ExitCode.FAILED, f"a service reads {queue} as {consumer.name}: stop it first")


def is_served(consumer: ConsumerInfo) -> bool:
    """Whether some process waits for what a consumer has."""
    return bool(consumer.push_bound or consumer.num_waiting)


async def restore(
    client: Client, manifest: Manifest, folder: Path, place: CheckpointPlace, bounds: Bounds, tell: Tell
) -> None:
    """Bring back streams, checkpoints, consumers and copies; what was begun is taken away if that fails."""
    replicas = Replicas.of(os.environ)
    js = client.jetstream(timeout=API_TIMEOUT_S)
    await begin_restoring(client)
    try:
        await _clear(js)
        for part in manifest.streams:
            await _restore_stream(client, part, manifest, folder, replicas)
            tell(f"{part.name}: {part.messages} messages")
        await asyncio.to_thread(place.bring_back, manifest.checkpoints, folder)
        tell("checkpoints")
        await provision(client, manifest.tenants, bounds=bounds, replicas=replicas)
    except BaseException:
        await _clear(js)
        await end_restoring(client)
        raise
    await end_restoring(client)


async def _clear(js: JetStreamContext) -> None:
    """Take away every stream but the mark: they are empty, or what a restore left."""
    for name in await stream_names(js):
        if name != RESTORING:
            with suppress(NotFoundError):
                await js.delete_stream(name)


async def _restore_stream(
    client: Client, part: StreamPart, manifest: Manifest, folder: Path, replicas: Replicas
) -> None:
    js = client.jetstream(timeout=API_TIMEOUT_S)
    changes = _MAY_BE_CUT if part.name == subjects.EVENTS else {}
    about = {"config": part.config, "state": part.state}
    await load_stream(client, folder, part.name, about, num_replicas=replicas.number, **changes)
    if part.name == subjects.EVENTS:
        last = (await js.stream_info(part.name)).state.last_seq
        await _cut(js, part.name, range(manifest.sequence + 1, last + 1))
        await _begin_anew(js)
    elif part.name == subjects.REQUESTS:
        await _go_beyond(js, manifest.requests)
    elif part.name == subjects.ANSWERS:
        await _cut(js, part.name, manifest.dropped)


async def _go_beyond(js: JetStreamContext, last: int) -> None:
    """Requests that come get no place that one had before, also after it was copied: ids of events and answers are made
    of it. Places are used up by messages of a tenant that there is not."""
    nobody = uuid4().hex
    for place in range((await js.stream_info(subjects.REQUESTS)).state.last_seq, last):
        await js.publish(subjects.request(nobody, f"n{place}"), b"", stream=subjects.REQUESTS)
    await js.purge_stream(subjects.REQUESTS, subject=subjects.request(nobody, subjects.ANY))


async def _begin_anew(js: JetStreamContext) -> None:
    """Summaries and copies are made of the whole log; who told of an event tells of it no more."""
    for consumer in await consumers_of(js, subjects.EVENTS):
        if consumer.name != subjects.NOTIFIER:
            await js.delete_consumer(subjects.EVENTS, consumer.name)


async def _cut(js: JetStreamContext, stream: str, places: Iterable[int]) -> None:
    """Take away what lies at these places; some are of messages that came after the stream was copied."""
    last = (await js.stream_info(stream)).state.last_seq
    for place in places:
        if place <= last:
            with suppress(NotFoundError):
                await js.delete_msg(stream, place)
