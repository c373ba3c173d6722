"""The services of release 0.1.0, built from its commit, and of this one in every mixture, under load.

It would find: an event, job or outcome of one release that the other cannot read, settings or permissions with which
the older one does not start any more, and a document that is lost, fails or stands still while services are replaced.
"""

import asyncio
import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from faults_here import as_user, asked, completes
from faults_releases import KIND, Running, programs_of, running, under_load
from stemma_client import Client, RequestRejectedError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import NewComment
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import PROVISIONER, client_user
from stemma_testkit.driving import wait_for

OLD = "0.1.0"
NEW = Path(sys.executable).parent
REPLACED = (*subjects.WORKERS, subjects.ORCHESTRATOR)
"""The services that both releases have, in the order in which a new release is installed."""


def mixtures(services: tuple[str, ...]) -> list[frozenset[str]]:
    """Which services are of this release: from none by all mixtures back to none, one service changing at a time."""
    gray = [number ^ (number >> 1) for number in range(2 ** len(services))]
    return [frozenset(name for bit, name in enumerate(services) if code >> bit & 1) for code in (*gray, 0)]


def in_order(services: tuple[str, ...]) -> list[frozenset[str]]:
    """One service after the other, as the guide says, and back the same way."""
    forward = [frozenset(services[:number]) for number in range(len(services) + 1)]
    return [*forward, *reversed(forward[:-1])]


async def replace(runs: Running, before: frozenset[str], after: frozenset[str], old: Path) -> str:
    """The one service in which two mixtures differ: the other release of it is at work beside it, then alone."""
    (service,) = before ^ after
    gone, come = (old, NEW) if service in after else (NEW, old)
    await runs.start(service, come)
    await runs.stop(service, gone)
    return service


async def assert_nothing_is_lost(runs: Running, client: Client, documents: list[str]) -> None:
    async with as_user(runs.stemma, PROVISIONER) as nats:
        jetstream = nats.jetstream()
        assert (await jetstream.stream_info(subjects.DEAD)).state.messages == 0
    for document_id in documents:
        events = [event.contract for event in await client.history(document_id)]
        assert None not in events
        assert not [event for event in events if isinstance(event, (e.SectionFailure, e.DocumentFailed))]


async def assert_is_read_by(programs: Path, runs: Running, document_id: str) -> None:
    """The command of a release shows a document that both wrote."""
    user = client_user("default")
    env = {
        "PATH": os.environ["PATH"],
        "STEMMA_NATS_URL": runs.stemma.url,
        "STEMMA_NATS_USER": user,
        "STEMMA_NATS_PASSWORD": runs.stemma.password(user),
    }
    command = [str(programs / "stemma"), "show", document_id]
    shown = await asyncio.create_subprocess_exec(*command, env=env, stdout=asyncio.subprocess.PIPE)
    told, _ = await shown.communicate()
    assert shown.returncode == 0
    assert b"research" in told.lower()


def may_wait(mixture: frozenset[str]) -> bool:
    """The orchestrator and a writer have other data of a shipped kind: its sections wait until both have the same."""
    return len({service in mixture for service in (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.EDITOR)}) > 1


async def proved(folder: Path, path: list[frozenset[str]], kind: str) -> None:
    """Documents of a kind are written in each mixture of a path, and while one becomes the next.

    Those of a shipped kind, of which the releases have other data, are begun in each, and end once they can.
    """
    old = await asyncio.to_thread(programs_of, OLD)
    async with running(folder) as runs, runs.stemma.client() as client:
        await runs.set_up(old)
        await runs.set_up(NEW)
        for service in REPLACED:
            await runs.start(service, old)
        await runs.start(subjects.NOTIFIER, NEW)
        async with under_load(client, kind) as load:
            await load.one_completes()
            for before, after in pairwise(path):
                await replace(runs, before, after, old)
                await (load.one_begins() if kind != KIND and may_wait(after) else load.one_completes())
        assert sorted(load.begun) == sorted(load.ended)
        await assert_nothing_is_lost(runs, client, load.begun)
        for programs in (old, NEW):
            await assert_is_read_by(programs, runs, load.ended[-1])
        await runs.stop(subjects.NOTIFIER, NEW)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.req("O6", "F5")
async def test_a_release_with_other_data_of_a_kind_is_rolled_forward_in_order_and_back_under_load(
    tmp_path: Path,
) -> None:
    await proved(tmp_path, in_order(REPLACED), "proposal")


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.req("O6", "F5")
async def test_services_of_two_releases_write_documents_in_every_mixture_under_load(tmp_path: Path) -> None:
    path = mixtures(REPLACED)
    assert len({*path}) == 2 ** len(REPLACED)
    await proved(tmp_path, path, KIND)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.req("O6", "F5")
async def test_an_older_orchestrator_refuses_what_is_new_by_name_and_goes_on_with_a_document_that_used_it(
    tmp_path: Path,
) -> None:
    (addition := tmp_path / "stock.html").write_text("<h1>Stock</h1><p>Twelve bicycles of the model Gazelle.</p>")
    old = await asyncio.to_thread(programs_of, OLD)
    async with running(tmp_path / "data") as runs, runs.stemma.client() as client:
        await runs.set_up(NEW)
        for service in REPLACED:
            await runs.start(service, NEW)
        document_id = await asked(client, ReviewMode.HUMAN, "rolled-back")
        await client.add_input(document_id, addition)
        await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentInputRead))
        await wait_for(client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
        await client.comment(document_id, "research", 1, [NewComment(text="From which budget?")])
        with pytest.raises(RequestRejectedError, match="version"):
            await client.approve(document_id, "research", 9)
        await replace(runs, frozenset(REPLACED), frozenset(subjects.WORKERS), old)
        with pytest.raises(RequestRejectedError, match="is not known here"):
            await client.add_input(document_id, addition, name="more.html")
        version = (await client.document(document_id)).sections["research"].version
        await client.approve(document_id, "research", version)
        await completes(client, document_id)
        assert (await client.export(document_id, ExportFormat.MD)).artifact is not None
        await assert_nothing_is_lost(runs, client, [document_id])
        await assert_is_read_by(old, runs, document_id)
        await replace(runs, frozenset(subjects.WORKERS), frozenset(REPLACED), old)
        document = await client.document(document_id)
        assert [one.name for one in document.inputs if one.name == "stock.html"]
        assert len(document.sections["research"].open_threads) == 1
