import asyncio
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from stemma_cli.local.folder import AlreadyRunningError, DataFolder
from stemma_cli.local.processes import DidNotStartError
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import AccessDeniedError, Client, ServerUnreachableError
from stemma_contracts import subjects
from stemma_contracts.v1.references import UploadRef
from stemma_provisioning import NatsServer
from stemma_provisioning.config import user_names


def alive(pid: int | None) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about yet does not."""
    try:
        return pid is not None and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_callers_in_the_folder_find_the_server_by_themselves_and_another_one_is_refused_with_the_pid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEMMA_DATA_DIR", str(tmp_path))
    async with LocalStemma(tmp_path, services=[]) as local, Client.connect() as client:
        assert (client.url, await client.documents()) == (local.url, [])
        with pytest.raises(AlreadyRunningError, match=f"pid {os.getpid()}"):
            async with LocalStemma(tmp_path, services=[]):
                pass
    assert not (tmp_path / "stemma.json").exists()


@pytest.mark.req("F1")
async def test_a_server_that_is_killed_or_whose_disk_was_full_comes_back_on_its_port_with_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def server_finds_no_room(*, but_now: int) -> None:
        used = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: used._replace(free=but_now))
        with (tmp_path / "nats" / "nats-server.log").open("a") as log:
            log.write("[ERR] JetStream failed to store a msg on stream 'STEMMA > EVENTS': no space left on device\n")

    monkeypatch.setattr("stemma_cli.local.processes.ROOM_S", 0.05)
    async with LocalStemma(tmp_path, services=[], report=lambda _, message: told.append(message)) as local:
        async with local.client() as client:
            upload, url = await client.upload(b"kept", name="a.md"), local.url
            local.nats.kill()
            await until(lambda: local.nats.restarts == 1 and local.nats.pid is not None)
            assert await asyncio.wait_for(_uploaded_again(local), 20) == upload
        server_finds_no_room(but_now=0)
        await until(lambda: any("no space left" in message for message in told))
        assert local.nats.restarts == 1
        server_finds_no_room(but_now=10**9)
        await until(lambda: local.nats.restarts == 2 and local.nats.pid is not None)
        assert await asyncio.wait_for(_uploaded_again(local), 20) == upload
        assert local.url == url


async def _uploaded_again(local: LocalStemma) -> UploadRef:
    """Programs are let in again once the server listens and its admission has come back, a moment after its start."""
    while True:
        with suppress(AccessDeniedError, ServerUnreachableError):
            async with local.client() as again:
                return await again.upload(b"kept", name="a.md")


async def test_a_server_that_a_killed_supervisor_left_behind_is_ended_first(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.create()
    passwords = folder.make_passwords(user_names())
    with NatsServer(tmp_path / "nats", passwords=passwords) as left_over:
        async with LocalStemma(tmp_path, services=[]) as local:
            assert not left_over.running
            assert local.nats.pid is not None


async def test_a_process_that_only_has_the_number_of_an_old_server_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "nats").mkdir()
    with NatsServer(tmp_path / "another") as stranger:
        told = {"nats": [stranger.url]}
        (tmp_path / "nats" / f"nats-server_{stranger.pid}.ports").write_text(json.dumps(told))

        async with LocalStemma(tmp_path, services=[]):
            assert stranger.running


@pytest.mark.req("S7")
async def test_the_key_of_a_provider_reaches_only_the_services_that_call_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_models, of_one = "SOMEBODYS_API_KEY", {"STEMMA_GENERATION_GRAPH_API_BASE", "STEMMA_CHECKPOINT_PASSWORD"}
    secrets = {of_models, *of_one, "STEMMA_PASSWORD_EDITOR"}
    for name in secrets:
        monkeypatch.setenv(name, "hidden")
    async with LocalStemma(tmp_path, services=[]) as local:
        knows = {name: secrets & {*local.environment_of(name)} for name in (*subjects.SERVICES, subjects.GATEWAY)}
    assert {name: found for name, found in knows.items() if found} == {
        "generation-graph": {of_models, *of_one},
        "editor-agent": {of_models},
    }


async def test_services_run_together_in_one_process(tmp_path: Path) -> None:
    async with LocalStemma(tmp_path, services=["validator", "converter"]) as local:
        pids = [service.pid for service in local.services.values()]
    started = (tmp_path / "logs" / "services.log").read_text()
    assert (len(pids), alive(pids[0])) == (1, False)
    assert all(f'"service": "{name}"' in started for name in ("validator", "converter"))


@pytest.mark.req("P16")
async def test_a_bad_setting_refuses_the_start_and_leaves_nothing_running(tmp_path: Path) -> None:
    local = LocalStemma(tmp_path, services=["validator"], env={"validator": {"STEMMA_VALIDATOR_COLOUR": "red"}})

    with pytest.raises(DidNotStartError, match="services refused to start"):
        async with local:
            pass

    assert "colour" in (tmp_path / "logs" / "services.log").read_text().lower()
    assert local.nats.pid is None


async def test_a_stop_that_was_swallowed_during_the_start_ends_it(tmp_path: Path) -> None:
    """What `asyncio.wait_for` of nats-py does before Python 3.12 when result and cancellation meet."""
    entered = asyncio.Event()

    async def run() -> None:
        entered.set()
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        async with LocalStemma(tmp_path, services=[]):
            await asyncio.get_running_loop().create_future()

    task = asyncio.create_task(run())
    await entered.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=20)
    assert task.cancelled()
