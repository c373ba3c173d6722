"""A backup is made while everybody works, and an empty system goes on from it.

It would find: an event that is missing, a reference to something that is not there, a paused graph that cannot go on, a
call that was recorded and is made again, an event or a draft that is there twice.
"""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faults_here import as_user, asked
from nats.aio.client import Client as Nats
from nats.js.errors import NotFoundError
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.operating.backup import (
    Manifest,
    readable_backup,
    restore_to_folder,
    take_backup,
    verified,
    writable_backup,
)
from stemma_cli.operating.checkpoints import SQLITE_FILE, CheckpointPart, CheckpointPlace, SqlitePlace, place_of
from stemma_client import Client, RecordedEvent, RequestRejectedError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.requests import AssignSection
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_generation_graph.checkpoints import set_up
from stemma_messaging.cancellation import end
from stemma_provisioning import PROVISIONER
from stemma_testkit.driving import ENDS, wait_for
from stemma_testkit.postgres import postgres_server

LONG_S = 900.0
Env = Mapping[str, Mapping[str, str]]
Places = tuple[CheckpointPlace, CheckpointPlace]
NOTHING: Env = {}
SERVICES = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR, subjects.CONVERTER)
DUE_IN_S = 8
"""Longer than the backup takes, so that the timer runs in it; where it does not, the reminder is in the log already."""
INPUT = "# Plan\n\nThe library lends 12 bicycles.\n\n![The shed](shed.png)\n"


def silent(_: str) -> None:
    """Nothing is shown."""


@dataclass
class Crowd:
    """Documents of two kinds: proposals whose sections wait for reviews, and an agent's, which pauses for an image."""

    input: Path
    documents: list[str] = field(default_factory=list)

    async def grows(self, client: Client, number: int) -> None:
        """So many more documents are asked for."""
        for _ in range(number):
            place = len(self.documents)
            if place % 3:
                document_id = await asked(client, ReviewMode.HUMAN, f"asked-{place}", within_s=LONG_S)
            else:
                brief, none = f"A plan, {place}.", ReviewMode.NONE
                accepted = await client.create_document(
                    "agentic", brief=brief, inputs=[self.input], review=none, wait_s=LONG_S
                )
                document_id = accepted.document_id
            self.documents.append(document_id)

    async def waits(self, client: Client) -> None:
        """The first two wait for a person: one with a paused graph, one with a review that is due soon."""
        paused, reviewed, *_ = self.documents
        await wait_for(client, paused, lambda event: isinstance(event, e.SectionNeedRaised), LONG_S)
        waiting = await wait_for(client, reviewed, lambda event: isinstance(event, e.SectionReviewRequested), LONG_S)
        asked_for = waiting[-1].contract
        assert isinstance(asked_for, e.SectionReviewRequested)
        due = datetime.now(UTC) + timedelta(seconds=DUE_IN_S)
        await client.request(
            AssignSection(document_id=reviewed, section_id=asked_for.section_id, assignee="ada", due=due)
        )


async def sees_to_its_end(client: Client, document_id: str) -> None:
    """Answer and approve whatever waits, until the document is completed.

    A decision may be on its way already: requests that nobody had handled yet are in a backup, too.
    """
    try:
        async with asyncio.timeout(LONG_S):
            await decides_until_it_ends(client, document_id)
    except TimeoutError:
        history = await client.history(document_id)
        raise AssertionError(
            f"{document_id} stands still after {[type(h.contract).__name__ for h in history]}"
        ) from None
    assert (await client.document(document_id)).status is DocumentStatus.COMPLETED


async def decides_until_it_ends(client: Client, document_id: str) -> None:
    done: set[tuple[str, object]] = set()
    async with aclosing(client.follow(document_id)) as events:
        async for event in events:
            assert not isinstance(event.contract, e.SectionFailure), repr(event.contract)
            if event.pending:
                continue
            for deed in deeds(client, await client.document(document_id, at_least=event.sequence), done):
                with suppress(RequestRejectedError):
                    await deed
            if isinstance(event.contract, ENDS):
                break


def deeds(client: Client, view: DocumentView, done: set[tuple[str, object]]) -> Iterator[Awaitable[object]]:
    """A decision about each section that waits, once."""
    for name, section in view.sections.items():
        about = (name, section.need.need_id if section.need else section.version)
        if about in done or not (section.asks or section.waits_for_review):
            continue
        done.add(about)
        yield client.request(decision(view.document_id, section), wait_s=LONG_S)


def decision(document_id: str, section: SectionView) -> r.Request:
    """What a person says of a section that waits."""
    if section.need is None:
        return r.ApproveSection(document_id=document_id, section_id=section.section_id, version=section.version)
    need_id = section.need.need_id
    return r.AnswerNeed(document_id=document_id, section_id=section.section_id, need_id=need_id, answer="skip")


async def histories(client: Client, documents: list[str]) -> dict[str, list[RecordedEvent]]:
    return {document_id: await client.history(document_id) for document_id in documents}


def told(history: list[RecordedEvent], to: int) -> list[tuple[int, str, bytes]]:
    """What a log says up to a sequence."""
    return [(event.sequence, event.envelope.id, event.data) for event in history if event.sequence <= to]


async def records(nats: Nats) -> dict[str, int]:
    """The place of the record of each call: one that is made again is recorded again, at another place."""
    js, found, sequence = nats.jetstream(timeout=30), dict[str, int](), 1
    while True:
        try:
            message = await js.get_msg(subjects.RECORDS, seq=sequence, subject="stemma.record.v1.>", next=True)
        except NotFoundError:
            return found
        sequence = (message.seq or 0) + 1
        found[message.subject or ""] = message.seq or 0


def is_whole(history: list[RecordedEvent]) -> bool:
    """Whether nothing is there twice, and nothing between is missing."""
    numbers = [event.envelope.sequence for event in history]
    drafts = [(d.section_id, d.version) for d in (h.contract for h in history) if isinstance(d, e.SectionDrafted)]
    return numbers == list(range(1, len(history) + 1)) and len(set(drafts)) == len(drafts)


@dataclass(frozen=True)
class BackedUp:
    """A backup, and what the log of each document in it said in the end; a section of the one that is ``due`` is so."""

    target: Path
    manifest: Manifest
    histories: dict[str, list[RecordedEvent]]
    due: str = ""


async def back_up(stemma: LocalStemma, place: CheckpointPlace, target: Path) -> Manifest:
    async with as_user(stemma, PROVISIONER) as provisioner:
        with writable_backup(target) as folder:
            return await take_backup(provisioner, place, folder, silent)


def installation(folder: Path, env: Env) -> LocalStemma:
    return LocalStemma(folder, services=SERVICES, env=env)


async def backed_up_at_work(number: int, folder: Path, env: Env, place: CheckpointPlace) -> BackedUp:
    """Back up while so many documents are under way: half of them wait, half are seen to, and more are asked for."""
    (folder / "plan.md").write_text(INPUT)
    crowd, target = Crowd(folder / "plan.md"), folder / "backup.tar"
    async with installation(folder / "old", env) as stemma, stemma.client() as client:
        await crowd.grows(client, number)
        await crowd.waits(client)
        busy = [asyncio.create_task(sees_to_its_end(client, each)) for each in crowd.documents[2::2]]
        busy.append(asyncio.create_task(crowd.grows(client, number // 3)))
        manifest = await back_up(stemma, place, target)
        await end(busy)
        before = await histories(client, crowd.documents)
    known = [one for one in before if told(before[one], manifest.sequence)]
    assert set(crowd.documents[:number]) <= set(known)
    return BackedUp(target, manifest, {one: before[one] for one in known}, crowd.documents[1])


async def restored(made: BackedUp, folder: Path, place: CheckpointPlace) -> dict[str, int]:
    """Restore to an empty folder; the records that there are."""
    with readable_backup(made.target) as unpacked:
        await restore_to_folder(folder, verified(unpacked), unpacked, place, silent)
    async with LocalStemma(folder, services=[]) as empty, as_user(empty, PROVISIONER) as provisioner:
        return await records(provisioner)


async def goes_on(made: BackedUp, folder: Path, env: Env, paid: dict[str, int]) -> None:
    """All documents go on to their end: nothing is lost up to the backup, nothing paid again, nothing there twice."""
    async with installation(folder, env) as stemma, stemma.client() as client:
        if made.due:
            await wait_for(client, made.due, lambda event: isinstance(event, e.SectionOverdue), LONG_S)
        async with asyncio.TaskGroup() as all_of_them:
            for document_id in made.histories:
                all_of_them.create_task(sees_to_its_end(client, document_id))
        after = await histories(client, list(made.histories))
        async with as_user(stemma, PROVISIONER) as provisioner:
            kept = await records(provisioner)
    for document_id, before in made.histories.items():
        assert told(after[document_id], made.manifest.sequence) == told(before, made.manifest.sequence)
        assert is_whole(after[document_id])
    assert paid
    assert {subject: kept.get(subject) for subject in paid} == paid


async def go_on_elsewhere(
    number: int, folder: Path, places: Places, envs: tuple[Env, Env] = (NOTHING, NOTHING)
) -> None:
    made = await backed_up_at_work(number, folder, envs[0], places[0])
    paid = await restored(made, folder / "new", places[1])
    await goes_on(made, folder / "new", envs[1], paid)


def in_files(folder: Path) -> Places:
    old, new = (place_of(folder / name / SQLITE_FILE) for name in ("old", "new"))
    return old, new


@pytest.mark.full
@pytest.mark.req("O3", "F1", "F6")
async def test_an_empty_system_goes_on_from_a_backup_that_was_made_while_all_worked(tmp_path: Path) -> None:
    await go_on_elsewhere(3, tmp_path, in_files(tmp_path))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.req("O3", "F1", "F6", "P2")
async def test_fifty_documents_with_checkpoints_in_postgresql_go_on_from_a_backup(tmp_path: Path) -> None:
    with postgres_server() as server:
        old, new = (server.create_database(name) for name in ("old", "new"))
        await set_up(new)
        env, other = ({subjects.GENERATION: {"STEMMA_CHECKPOINT_DSN": dsn}} for dsn in (old, new))
        await go_on_elsewhere(50, tmp_path, (place_of(old), place_of(new)), (env, other))


class Forgetful(SqlitePlace):
    """The defect: checkpoints are not brought back."""

    def bring_back(self, part: CheckpointPart, folder: Path) -> None:
        """Nothing."""


@pytest.mark.full
@pytest.mark.req("O3", "F5")
async def test_paused_graphs_that_are_not_restored_are_found(tmp_path: Path) -> None:
    old, _ = in_files(tmp_path)
    made = await backed_up_at_work(3, tmp_path, NOTHING, old)
    paid = await restored(made, tmp_path / "new", Forgetful(tmp_path / "new" / SQLITE_FILE))
    with pytest.raises(ExceptionGroup) as found:
        await goes_on(made, tmp_path / "new", NOTHING, paid)
    assert found.group_contains(AssertionError, match="SectionThreadLost")
