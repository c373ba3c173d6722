"""Takes a backup of an installation that runs; the package says in which order, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.events import SectionNeedRaised
from stemma_provisioning.moving import file_of, save_stream

from .checkpoints import CheckpointPlace, Taken
from .manifest import MANIFEST, Manifest, Part, StreamPart

API_TIMEOUT_S = 30.0
BEFORE = (
    subjects.ADVISORIES,
    subjects.REQUESTS,
    subjects.JOBS,
    subjects.OUTCOMES,
    subjects.DEAD,
    *(f"KV_{bucket}" for bucket in (subjects.VIEWS_BUCKET, subjects.CAPABILITIES_BUCKET, subjects.RULES_BUCKET)),
)
"""They speak of the log, in this order: a job is gone once its outcome is stored, that once an event is."""
AFTER = (
    subjects.NOTICES,
    subjects.TIMERS,
    f"KV_{subjects.DELIVERIES_BUCKET}",
    f"KV_{subjects.VIEWED_BUCKET}",
    subjects.ANSWERS,
    subjects.RECORDS,
    subjects.ARTIFACTS,
)
"""Notices and timers are made of events, and must not be behind who makes them; records of calls name artifacts."""
WITH_CONSUMERS = (*BEFORE[:4], subjects.EVENTS, subjects.NOTICES, subjects.TIMERS)
"""All other consumers are made anew, and read from the beginning."""
_LARGE = "OBJ_artifacts-"
UPLOADS = "OBJ_uploads-"

Tell = Callable[[str], None]


async def take_backup(client: Client, place: CheckpointPlace, folder: Path, tell: Tell) -> Manifest:
    """Write a backup into an empty folder; the manifest comes last."""
    js = client.jetstream(timeout=API_TIMEOUT_S)
    tenants = await tenants_of(js)
    parts = [await _taken(client, name, folder, tell) for name in BEFORE]
    answered = (await js.stream_info(subjects.ANSWERS)).state.last_seq
    logged = (await js.stream_info(subjects.EVENTS)).state.last_seq
    with ExitStack() as stack:
        checkpoints = await asyncio.to_thread(stack.enter_context, place.taken(folder))
        tell("checkpoints")
        log = await _taken(client, subjects.EVENTS, folder, tell)
        sequence = await _last_that_fits(js, checkpoints, logged, int(log.state["last_seq"]))
        part = checkpoints.part
    large = [f"{bucket}{tenant}" for bucket in (_LARGE, UPLOADS) for tenant in tenants]
    after = [await _taken(client, name, folder, tell) for name in (*AFTER, *large)]
    manifest = Manifest(
        made_at=datetime.now(UTC),
        release=version("stemma-cli"),
        server=str(client.connected_server_version),
        tenants=tenants,
        sequence=sequence,
        dropped=await _answers_about_later(js, answered, sequence),
        requests=(await js.stream_info(subjects.REQUESTS)).state.last_seq,
        streams=(*parts, log, *after),
        checkpoints=part,
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    return manifest


async def tenants_of(js: JetStreamContext) -> tuple[str, ...]:
    """Those who have a place for uploads on the server."""
    return tuple(sorted(name.removeprefix(UPLOADS) for name in await stream_names(js) if name.startswith(UPLOADS)))


async def stream_names(js: JetStreamContext) -> list[str]:
    names: list[str] = []
    while page := await js.streams_info(offset=len(names)):
        names += [str(info.config.name) for info in page]
    return names


async def _taken(client: Client, name: str, folder: Path, tell: Tell) -> StreamPart:
    about = await save_stream(client, folder, name, consumers=name in WITH_CONSUMERS)
    part = StreamPart(**Part.of(file_of(folder, name)).model_dump(), name=name, **about)
    tell(f"{name}: {part.messages} messages, {part.size} bytes")
    return part


async def _last_that_fits(js: JetStreamContext, checkpoints: Taken, after: int, last: int) -> int:
    """The event before the first that names a checkpoint which came too late; what came before them was there."""
    pattern = subjects.event(ANY, ANY, registry.entry_of(SectionNeedRaised).token)
    while found := await _next(js, subjects.EVENTS, after + 1, pattern):
        after = found.seq or last + 1
        if after > last:
            break
        raised = _read(found)
        if isinstance(raised, SectionNeedRaised) and not checkpoints.knows(raised.thread_id, raised.need.checkpoint_id):
            return after - 1
    return last


async def _answers_about_later(js: JetStreamContext, after: int, sequence: int) -> tuple[int, ...]:
    """The places of answers that are to be given anew: only of those that were accepted is known about which event."""
    dropped = []
    while found := await _next(js, subjects.ANSWERS, after + 1, subjects.answer(ANY, ANY)):
        after = found.seq or after + 1
        answer = _read(found)
        if not isinstance(answer, RequestAccepted) or answer.sequence > sequence:
            dropped.append(after)
    return tuple(dropped)


def _read(message: RawStreamMsg) -> Contract | None:
    """The contract in a message; None of what nobody can read."""
    try:
        return registry.decode((message.headers or {}).get("ce-type", ""), message.data or b"")
    except ValueError:
        return None


async def _next(js: JetStreamContext, stream: str, sequence: int, pattern: str) -> RawStreamMsg | None:
    try:
        return await js.get_msg(stream, seq=sequence, subject=pattern, next=True)
    except NotFoundError:
        return None
