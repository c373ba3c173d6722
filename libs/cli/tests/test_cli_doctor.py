"""The doctor on real servers: quiet where all is well, and each illness told with what to do."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from nats.aio.client import Client
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_cli.operating import doctor
from stemma_contracts import subjects
from stemma_messaging.broker import CONTRACTS, RELEASE, TOLD_AT
from stemma_messaging.dead import REASON
from stemma_provisioning import PROVISIONER, NatsServer
from stemma_provisioning.moving import begin_restoring
from stemma_provisioning.topology import consumers
from stemma_testkit.filling import full
from stemma_testkit.servers import connected
from typer.testing import CliRunner, Result

pytestmark = pytest.mark.req("O3")


@dataclass
class Sick:
    """A server whose services are not there, and whose provisioner does something to it."""

    server: NatsServer
    client: Client

    async def told(self, check: str) -> list[str]:
        """What the doctor says of one check."""
        environ = {
            "STEMMA_NATS_URL": self.server.url,
            "STEMMA_NATS_USER": PROVISIONER,
            "STEMMA_NATS_PASSWORD": self.server.passwords[PROVISIONER],
        }
        done = await run(environ, "--json")
        assert done.exit_code == 1, done.output
        found = json.loads(done.stdout)["findings"]
        return [f"{one['words']}; {one['todo']}" for one in found if one["check"] == check]


async def run(environ: dict[str, str], *arguments: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["doctor", *arguments], env=environ)


@pytest.fixture
async def sick(own_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sick]:
    monkeypatch.setattr(doctor, "LOOKS", 1)
    async with connected(own_server) as client:
        yield Sick(own_server, client)


@pytest.mark.full
async def test_it_is_quiet_where_all_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # How full the disk of the machine is that runs this is not what is tried here.
    monkeypatch.setattr(doctor, "LEAST_FREE", 0.0)
    async with LocalStemma(tmp_path):
        done = await run({}, "--data", str(tmp_path))

    assert (done.exit_code, done.stdout.splitlines()) == (0, [f"{name}: ok" for name in doctor.CHECKS]), done.output


async def test_it_names_services_that_do_not_run_and_how_long_messages_wait_for_them(
    sick: Sick, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await sick.told("consumers")

    assert [line.partition("; ")[2] for line in told] == [
        f"start {service}, or see its log and its /ready"
        for service in sorted({consumer.owner for consumer in consumers()})
    ]
    assert any(line.startswith("nobody reads JOBS/validator, JOBS/validator-bulk;") for line in told)
    await sick.client.jetstream().publish(subjects.job("validator", "x"), b"{}")
    assert await sick.told("lag") == []
    monkeypatch.setattr(doctor, "WAITS_TOO_LONG", timedelta())
    (waits,) = await sick.told("lag")
    assert waits.startswith("1 messages wait for validator in JOBS/validator, the oldest for 0 minutes;")


async def test_it_finds_messages_that_no_consumer_will_deliver_again(sick: Sick) -> None:
    js = sick.client.jetstream(timeout=10)
    await js.publish(subjects.job(subjects.CONVERTER, "x"), b"{}")
    feed = await js.pull_subscribe_bind(subjects.CONVERTER, stream=subjects.JOBS)
    for _ in range(8):
        for message in await feed.fetch(1, timeout=10):
            await message.nak()
    with suppress(TimeoutError):  # the server notices when it is asked for more
        await feed.fetch(1, timeout=0.5)

    (told,) = await sick.told("lost")

    assert told.startswith("message 1 of JOBS will never be delivered again by converter;")
    assert "stemma-orchestrator --repair" in told


async def test_it_tells_drift_a_broken_off_restore_other_releases_clocks_that_differ_and_dead_letters(
    sick: Sick,
) -> None:
    js = sick.client.jetstream(timeout=10)
    ago = datetime.now(UTC) - timedelta(minutes=5)
    headers = {RELEASE: "0.0.9", CONTRACTS: "0.0.9", TOLD_AT: ago.isoformat()}
    await js.publish("$KV.capabilities.validator", b"{}", headers=headers)
    for _ in range(2):
        await js.publish(subjects.dead("validator", "x"), b"{}", headers={REASON: "invalid"})
    await js.delete_consumer(subjects.EVENTS, "copy-default")
    await begin_restoring(sick.client)

    restored, drift = await sick.told("drift")

    assert "run the same `stemma restore-backup` again" in restored
    assert "EVENTS of default" in drift
    assert "stemma-provision --tenant default" in drift
    (versions,), (clocks,) = await sick.told("versions"), await sick.told("clocks")
    assert versions.startswith("validator is 0.0.9 with contracts 0.0.9; this command is ")
    assert clocks.startswith("the clock of validator and that of the server differ by 300.")
    assert await sick.told("dead") == [
        "2 messages of validator put aside as invalid; stemma dead list --service validator --reason invalid"
    ]


async def test_it_tells_that_the_server_stores_nothing(sick: Sick) -> None:
    assert await sick.told("storage") == []

    async with full(sick.client, [subjects.DEAD]):
        (told,) = await sick.told("storage")

    assert told.startswith("the server stores nothing: maximum bytes exceeded")
    assert "make room on its disk, then restart the NATS server" in told


async def test_it_tells_that_nobody_lets_anybody_in(sick: Sick) -> None:
    assert await sick.told("admission") == []
    sick.server.let_nobody_in()

    (told,) = await sick.told("admission")

    assert told.endswith("start stemma-admission; it is part of `stemma up`")
