"""Tenants that are added to an installation, running or not."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest
from stemma_cli.exit_codes import ExitCode
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_client import AccessDeniedError, Client, ServerUnreachableError
from stemma_testkit.servers import eventually
from typer.testing import CliRunner, Result

pytestmark = pytest.mark.req("S1")


async def run(folder: Path, *arguments: str) -> Result:
    """A command beside the installation of a folder."""
    command = ["tenant", *arguments, "--data", str(folder)]
    return await asyncio.to_thread(CliRunner().invoke, app, command)


async def works(client: Client) -> bool:
    """Whether its tenant has a place for uploads, and documents to list."""
    return bool(await client.upload(b"text", name="a.md")) and await client.documents() == []


async def is_served(local: LocalStemma, tenant: str) -> bool:
    """Whether programs of a tenant get in; who comes before the admission is there again is refused."""
    with suppress(AccessDeniedError, ServerUnreachableError):
        async with local.client(tenant) as client:
            return await works(client)
    return False


async def test_a_tenant_is_served_when_the_verb_that_adds_it_returns_and_nobody_is_disturbed(tmp_path: Path) -> None:
    async with LocalStemma(tmp_path, services=[]) as local, local.client() as before:
        added = await run(tmp_path, "add", "garden", "--json")
        assert added.exit_code == 0, added.output
        told = json.loads(added.stdout)
        password = json.loads(Path(told["passwords"]).read_text())[told["user"]]
        assert (told["tenant"], told["served"], password) == ("garden", True, local.password("client-garden"))
        async with local.client("garden") as garden:
            assert await works(garden)
        assert await works(before)
        assert before._connection.nats.stats["reconnects"] == 0
        local.nats.kill()
        await eventually(lambda: is_served(local, "garden"), 30)


async def test_a_tenant_that_is_added_while_nothing_runs_is_served_from_the_next_start_on(tmp_path: Path) -> None:
    added = await run(tmp_path, "add", "garden")
    assert (added.exit_code, added.stdout) == (0, "garden is served from the next `stemma up` on\n")
    async with LocalStemma(tmp_path, services=[]) as local, local.client("garden") as garden:
        assert await works(garden)
        listed = await run(tmp_path, "list", "--json")
    assert json.loads(listed.stdout) == [{"tenant": "default", "served": True}, {"tenant": "garden", "served": True}]
    afterwards = (await run(tmp_path, "list")).stdout.split()
    assert afterwards == ["default", "no", "garden", "no"]


async def test_what_is_no_name_or_is_there_is_refused_and_so_is_a_folder_without_stemma(tmp_path: Path) -> None:
    assert (await run(tmp_path, "add", "garden")).exit_code == 0
    for name, folder in (("garden", tmp_path), ("default", tmp_path), ("a.b", tmp_path), ("late", tmp_path / "no")):
        assert (await run(folder, "add", name)).exit_code == ExitCode.USAGE, name
    kept = tmp_path / "tenants.json"
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_text("{")
    damaged = await run(tmp_path, "list")
    assert (damaged.exit_code, "tenants.json is damaged" in damaged.stderr) == (ExitCode.FAILED, True)
