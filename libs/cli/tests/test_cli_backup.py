"""Backups of a real server and restores to another one: what fits together, what is refused, what is left behind."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from nats.aio.client import Client
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.operating.backup import (
    AFTER,
    BEFORE,
    MANIFEST,
    Manifest,
    readable_backup,
    require_empty,
    restore,
    stream_names,
    take_backup,
    verified,
    writable_backup,
)
from stemma_cli.operating.checkpoints import CheckpointPart, CheckpointPlace, SqlitePlace, Taken, place_of
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.envelope import envelope_for
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.needs import Need
from stemma_generation_graph.checkpoints import set_up
from stemma_provisioning import Bounds, NatsServer, check, provision
from stemma_provisioning.moving import begin_restoring
from stemma_provisioning.topology import deliver_subject, streams
from stemma_testkit.document_events import DIGEST, document_requested
from stemma_testkit.postgres import postgres_server
from stemma_testkit.servers import connected, provisioned_server

pytestmark = pytest.mark.req("O3")
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
CHECKPOINT = "INSERT INTO checkpoints (thread_id, checkpoint_id) VALUES ('t1', 'c1')"
IN_POSTGRES = """
INSERT INTO checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint) VALUES ('t1', %s, %s, '{}')
"""


def silent(_: str) -> None:
    """Nothing is shown."""


@dataclass
class Two:
    """A server with something of everything, one that is empty, and a place for what is copied."""

    old: Client
    new: Client
    folder: Path
    threads: Path

    async def publish(self, subject: str, contract: Contract, number: int) -> int:
        headers = envelope_for(
            registry.entry_of(contract), id=subject, source="/test", subject="default/d1", time=AT, sequence=number
        ).headers()
        stored = await self.old.jetstream(timeout=10).publish(subject, registry.encode(contract), headers=headers)
        return stored.seq

    async def raises_need(self, number: int, checkpoint_id: str) -> int:
        need = Need(need_id=f"n{number}", kind="question", checkpoint_id=checkpoint_id)
        raised = e.SectionNeedRaised(section_id="research", job_id="d1.1.generate.research", thread_id="t1", need=need)
        return await self.publish(subjects.event("default", "d1", "section-need-raised"), raised, number)

    async def accepts(self, request_id: str, sequence: int) -> int:
        answer = RequestAccepted(
            request_id=request_id, request_sequence=1, request_digest=DIGEST, document_id="d1", sequence=sequence
        )
        return await self.publish(subjects.answer("default", request_id), answer, 0)

    async def backed_up(self, place: CheckpointPlace | None = None, name: str = "backup") -> Manifest:
        with writable_backup(self.folder / name) as folder:
            return await take_backup(self.old, place or place_of(self.threads), folder, silent)

    async def restored(self, place: CheckpointPlace | None = None, name: str = "backup") -> None:
        with readable_backup(self.folder / name) as folder:
            await require_empty(self.new)
            target = place or place_of(self.folder / "restored.sqlite")
            await restore(self.new, verified(folder), folder, target, Bounds(), silent)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[NatsServer, NatsServer]]:
    with (
        provisioned_server(tmp_path / "old", ack_wait_s=None) as old,
        provisioned_server(tmp_path / "new", ack_wait_s=None) as new,
    ):
        yield old, new


@pytest.fixture
async def two(servers: tuple[NatsServer, NatsServer], tmp_path: Path) -> AsyncIterator[Two]:
    threads = tmp_path / "threads.sqlite"
    await set_up(threads)
    with closing(sqlite3.connect(threads)) as connection, connection:
        connection.execute(CHECKPOINT)
    async with connected(servers[0]) as old, connected(servers[1]) as new:
        made = Two(old, new, tmp_path, threads)
        await made.publish(subjects.event("default", "d1", "document-requested"), document_requested(), 1)
        yield made


async def told(client: Client, stream: str) -> list[tuple[int, str, datetime | None]]:
    js = client.jetstream(timeout=10)
    state = (await js.stream_info(stream)).state
    messages = [await js.get_msg(stream, number) for number in range(max(1, state.first_seq), state.last_seq + 1)]
    return [(message.seq or 0, message.subject or "", message.time) for message in messages]


async def test_what_is_restored_has_the_places_and_times_that_it_had_and_is_provisioned(two: Two) -> None:
    js = two.old.jetstream(timeout=10)
    for name in ("one", "two"):
        await js.publish(subjects.job("validator", name), b"{}")
    await js.delete_msg(subjects.JOBS, 1)
    await two.raises_need(2, "c1")

    manifest = await two.backed_up()
    await two.restored()

    assert manifest.sequence == 2
    assert await told(two.new, subjects.EVENTS) == await told(two.old, subjects.EVENTS)
    job = await two.new.jetstream(timeout=10).get_msg(subjects.JOBS, 2)
    assert job.subject == subjects.job("validator", "two")
    assert await check(two.new) == []
    with closing(sqlite3.connect(two.folder / "restored.sqlite")) as copy:
        assert copy.execute("SELECT checkpoint_id FROM checkpoints").fetchall() == [("c1",)]


class Late(SqlitePlace):
    """Something happens right after the checkpoints were copied."""

    def __init__(self, path: Path, happens: Callable[[], Coroutine[Any, Any, None]]) -> None:
        super().__init__(path)
        self._happens, self._loop = happens, asyncio.get_running_loop()

    @contextmanager
    def taken(self, folder: Path) -> Iterator[Taken]:
        """It is taken in a thread."""
        with super().taken(folder) as copy:
            asyncio.run_coroutine_threadsafe(self._happens(), self._loop).result(10)
            yield copy


async def test_the_log_ends_before_the_first_event_that_names_a_checkpoint_that_is_not_there(two: Two) -> None:
    await two.raises_need(2, "c1")
    before = await two.accepts("before", 2)

    async def goes_on() -> None:
        await two.accepts("kept", await two.raises_need(3, "c1"))
        await two.accepts("after", await two.raises_need(4, "c2"))

    manifest = await two.backed_up(Late(two.threads, goes_on))
    assert (manifest.sequence, manifest.dropped) == (3, (before + 2,))
    later = manifest.model_copy(update={"dropped": (*manifest.dropped, 99)})
    (two.folder / "backup" / MANIFEST).write_text(later.model_dump_json())
    await two.restored()

    js = two.new.jetstream(timeout=10)
    assert [(await js.stream_info(name)).state.messages for name in (subjects.EVENTS, subjects.ANSWERS)] == [3, 2]
    assert (await js.get_msg(subjects.ANSWERS, before)).subject == subjects.answer("default", "before")


async def test_no_request_gets_the_place_of_one_that_came_while_the_backup_was_made(two: Two) -> None:
    subject = subjects.request("default", "create-document")
    places = [(await two.old.jetstream(timeout=10).publish(subject, b"{}")).seq]

    async def goes_on() -> None:
        places.append((await two.old.jetstream(timeout=10).publish(subject, b"{}")).seq)

    await two.backed_up(Late(two.threads, goes_on))
    await two.restored()

    js = two.new.jetstream(timeout=10)
    assert (await js.publish(subject, b"{}")).seq == places[-1] + 1
    assert (await js.stream_info(subjects.REQUESTS)).state.messages == 2


class Full(SqlitePlace):
    @contextmanager
    def taken(self, folder: Path) -> Iterator[Taken]:
        raise OSError("no space left")


async def test_what_is_no_whole_backup_is_none_and_nothing_is_restored_of_one_that_is_damaged_or_to_where_something_is(
    two: Two,
) -> None:
    with pytest.raises(OSError, match="no space left"):
        await two.backed_up(Full(two.threads))
    with pytest.raises(CliError, match="there are no checkpoints at"):
        await two.backed_up(place_of(two.folder / "elsewhere.sqlite"))
    assert sorted(path.name for path in two.folder.iterdir()) == ["new", "old", "threads.sqlite"]

    await two.backed_up()
    damaged = two.folder / "backup" / "EVENTS.snapshot"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1] + b"x")
    with pytest.raises(CliError, match=r"EVENTS.snapshot is damaged or missing: nothing was restored"):
        await two.restored()
    damaged.write_bytes(whole)

    reading = await two.new.subscribe(deliver_subject(subjects.JOBS, subjects.VALIDATOR), queue=subjects.VALIDATOR)
    await two.new.flush()
    with pytest.raises(CliError, match="a service reads JOBS as validator"):
        await two.restored()
    await reading.unsubscribe()
    await two.new.jetstream(timeout=10).publish(subjects.job("validator", "x"), b"{}")
    with pytest.raises(CliError, match="not empty: there are messages in JOBS"):
        await two.restored()
    assert await check(two.new) == []


class Broken(SqlitePlace):
    """It takes nothing."""

    def bring_back(self, part: CheckpointPart, folder: Path) -> None:
        """See above."""
        raise CliError(ExitCode.FAILED, "no space left")


async def test_a_restore_that_fails_leaves_an_empty_system_and_one_that_was_killed_is_done_again(two: Two) -> None:
    await two.backed_up(name="backup.tar")
    assert (two.folder / "backup.tar").stat().st_mode & 0o777 == 0o600
    with pytest.raises(CliError, match="no space left"):
        await two.restored(Broken(two.folder / "restored.sqlite"), name="backup.tar")
    js = two.new.jetstream(timeout=10)
    assert await stream_names(js) == []

    await provision(two.new)
    await begin_restoring(two.new)
    await js.publish(subjects.event("default", "d1", "half"), b"{}")
    await two.restored(name="backup.tar")

    assert await told(two.new, subjects.EVENTS) == await told(two.old, subjects.EVENTS)
    assert await check(two.new) == []


def test_every_stream_is_copied_before_the_log_or_after_it() -> None:
    named = {*BEFORE, subjects.EVENTS, *AFTER, "OBJ_artifacts-default", "OBJ_uploads-default"}
    assert {stream.name for stream in streams()} == named


@pytest.mark.req("P2")
async def test_checkpoints_in_postgresql_are_copied_as_of_one_moment(tmp_path: Path) -> None:
    with postgres_server() as server:
        old, new = (server.create_database(name) for name in ("old", "new"))
        for dsn in (old, new):
            await set_up(dsn)
        with psycopg.connect(old, autocommit=True) as writer:
            writer.execute(IN_POSTGRES, ("c1", None))
            with place_of(old).taken(tmp_path) as copy:
                writer.execute(IN_POSTGRES, ("c2", "c1"))
                assert (copy.knows("t1", "c1"), copy.knows("t1", "c2")) == (True, False)
        place_of(new).require_empty()
        place_of(new).bring_back(copy.part, tmp_path)
        with psycopg.connect(new) as reader:
            assert reader.execute("SELECT checkpoint_id FROM checkpoints").fetchall() == [("c1",)]
        with pytest.raises(CliError, match="restore into an empty system"):
            place_of(new).require_empty()
