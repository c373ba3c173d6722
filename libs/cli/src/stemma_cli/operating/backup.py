"""Copies of a whole installation while it runs, and an installation from such a copy.

Nothing stops while a backup is made, so its parts are of different moments, and their order makes them fit together:

1. What speaks of the log: advisories, queues with their consumers, dead letters, summaries. All that they speak of is
   in the log that is copied later.
2. The checkpoints. The log must not speak of one that is not there: see 3.
3. The log, up to the event before the first that names a checkpoint that was not there yet. This is the sequence of
   the backup.
4. What the log speaks of, and never changes: records of calls, artifacts, uploads. Answers come here, too: without
   those about later events.

What was restored is then as an installation whose processes were all killed at once, which is what Stemma survives
anyway: messages come again, jobs that are missing are published anew (``stemma-orchestrator --repair``).
"""

import asyncio
import os
import shutil
import sysconfig
import tarfile
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal
from uuid import uuid4

from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, RawStreamMsg
from nats.js.errors import NotFoundError, ServiceUnavailableError
from pydantic import BaseModel, ConfigDict, ValidationError
from stemma_client.settings import DEFAULT_TENANT, USER_VARIABLE
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.misfits import misfits
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.events import SectionNeedRaised
from stemma_messaging.lost import consumers_of
from stemma_messaging.stored import messages_in
from stemma_provisioning import PROVISIONER, Bounds, ServerFailed, provision
from stemma_provisioning.moving import RESTORING, begin_restoring, end_restoring, file_of, load_stream, save_stream
from stemma_provisioning.replicas import Replicas

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.local.folder import AlreadyRunningError, DamagedPasswordsError, DataFolder, UnusableFolderError
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.local.tenants import KeptTenants
from stemma_cli.operating.access import connected_as
from stemma_cli.operating.checkpoints import (
    SQLITE_FILE,
    CheckpointPart,
    CheckpointPlace,
    Part,
    Taken,
    digest_of,
    place_of,
)

MANIFEST = "manifest.json"
FORMAT: Final = 1


class StreamPart(Part):
    """A stream as the server gave it away; ``config`` and ``state`` are the server's words, and go back to it."""

    name: str
    config: dict[str, Any]
    state: dict[str, Any]

    @property
    def messages(self) -> int:
        return int(self.state.get("messages", 0))


class Manifest(BaseModel):
    """A backup as of a ``sequence`` of the log; ``dropped`` are places of answers about later events.

    ``requests`` is the last place of a request that anything in it may know.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    made_at: datetime
    release: str
    server: str
    tenants: tuple[str, ...]
    sequence: int
    dropped: tuple[int, ...] = ()
    requests: int
    streams: tuple[StreamPart, ...]
    checkpoints: CheckpointPart

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.streams, *self.checkpoints.files)


def verified(folder: Path) -> Manifest:
    """The manifest of a backup of which every file is as it was written; raises `CliError` that names what is not."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise CliError(ExitCode.USAGE, f"{folder.name} is no backup, or one that was not finished") from None
    except ValidationError as error:
        wrong = f"the manifest is of another release, or damaged: {misfits(error)[0]}"
        raise CliError(ExitCode.USAGE, wrong) from None
    for part in manifest.parts:
        path = folder / part.file
        if not path.is_file() or path.stat().st_size != part.size or digest_of(path) != part.digest:
            raise CliError(ExitCode.FAILED, f"{part.file} is damaged or missing: nothing was restored")
    return manifest


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
    async for found in messages_in(js, subjects.EVENTS, pattern, after + 1):
        if (at := found.seq or last + 1) > last:
            break
        raised = _read(found)
        if isinstance(raised, SectionNeedRaised) and not checkpoints.knows(raised.thread_id, raised.need.checkpoint_id):
            return at - 1
    return last


async def _answers_about_later(js: JetStreamContext, after: int, sequence: int) -> tuple[int, ...]:
    """The places of answers that are to be given anew: only of those that were accepted is known about which event."""
    dropped = []
    async for found in messages_in(js, subjects.ANSWERS, subjects.answer(ANY, ANY), after + 1):
        answer = _read(found)
        if not isinstance(answer, RequestAccepted) or answer.sequence > sequence:
            dropped.append(found.seq or 0)
    return tuple(dropped)


def _read(message: RawStreamMsg) -> Contract | None:
    """The contract in a message; None of what nobody can read."""
    try:
        return registry.decode((message.headers or {}).get("ce-type", ""), message.data or b"")
    except ValueError:
        return None


_TOLD_ANEW = f"KV_{subjects.CAPABILITIES_BUCKET}"
"""Services tell what they can do whenever they start: it is no reason not to restore."""
_MAY_BE_CUT = {"deny_delete": False, "deny_purge": False}


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


def is_file(path: Path) -> bool:
    return path.suffix == ".tar"


@contextmanager
def writable_backup(target: Path) -> Iterator[Path]:
    """An empty private folder that becomes the backup when the block ends well, and is gone otherwise."""
    if target.exists():
        raise CliError(ExitCode.USAGE, f"{target} is there already", "name another file or folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield folder
        if is_file(target):
            _pack(folder, target)
        else:
            folder.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pack(folder: Path, target: Path) -> None:
    made = target.with_name(f".{target.name}.new")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name)
    made.replace(target)


@contextmanager
def readable_backup(source: Path) -> Iterator[Path]:
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="stemma-restore-", dir=source.parent) as folder:
        try:
            with tarfile.open(source) as tar:
                tar.extractall(folder, filter="data")
        except (tarfile.TarError, FileNotFoundError) as error:
            raise CliError(ExitCode.USAGE, f"{source} is no backup: {error}") from None
        yield Path(folder)


DSN_VARIABLE = "STEMMA_CHECKPOINT_DSN"
FILE_VARIABLE = "STEMMA_GENERATION_GRAPH_CHECKPOINT_PATH"


def checkpoint_place(data: Path, given: Path | None, environ: Mapping[str, str] = os.environ) -> CheckpointPlace:
    """Where checkpoints are: in the file that is given, else where the variables of generation-graph say, else in the
    data folder."""
    if given is None and environ.get(DSN_VARIABLE):
        return place_of(environ[DSN_VARIABLE])
    return place_of(given or Path(environ.get(FILE_VARIABLE) or data / SQLITE_FILE))


def has_own_server(environ: Mapping[str, str] = os.environ) -> bool:
    return environ.get(USER_VARIABLE) == PROVISIONER


async def restore_to_server(data: Path, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    async with connected_as(PROVISIONER, data) as client:
        await _restore(client, manifest, folder, place, tell)


async def restore_to_folder(data: Path, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    """Restore to a data folder, with the server alone, and mend what is derived from the log.

    In between the server is started again: it knows the ids of brought back messages only then.
    """
    tenants = tuple(dict.fromkeys((DEFAULT_TENANT, *manifest.tenants)))
    try:
        async with LocalStemma(data, services=[], tenants=tenants), connected_as(PROVISIONER, data) as client:
            await _restore(client, manifest, folder, place, tell)
        kept = KeptTenants(DataFolder(data))
        for tenant in manifest.tenants:
            if tenant != DEFAULT_TENANT:
                kept.add(tenant)
        async with LocalStemma(data, services=[]) as stemma:
            await _repair(stemma)
    except (AlreadyRunningError, UnusableFolderError, DamagedPasswordsError, ServerFailed) as error:
        raise CliError(ExitCode.FAILED, str(error), "name another folder by --data") from None


async def _restore(client: Client, manifest: Manifest, folder: Path, place: CheckpointPlace, tell: Tell) -> None:
    await require_empty(client)
    place.require_empty()
    try:
        await restore(client, manifest, folder, place, Bounds.of(os.environ), tell)
    except (NoRespondersError, ServiceUnavailableError):
        names = ", ".join(manifest.tenants)
        raise CliError(ExitCode.FAILED, f"the server has no accounts for {names}: see to its configuration") from None


async def _repair(stemma: LocalStemma) -> None:
    command = Path(sysconfig.get_path("scripts")) / f"stemma-{subjects.ORCHESTRATOR}"
    own = stemma.environment_of(subjects.ORCHESTRATOR)
    process = await asyncio.create_subprocess_exec(command, "--repair", env=own, stdout=PIPE, stderr=PIPE)
    _, told = await process.communicate()
    if process.returncode:
        words = told.decode("utf-8", "replace").strip()[-500:]
        raise CliError(ExitCode.FAILED, f"restored, but not repaired: {words}")
