"""A client that a generator makes of the OpenAPI, in an environment without anything of ours."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress, client_user
from stemma_testkit.driving import sample_folder

CLIENTS = Path(__file__).parents[1] / "clients"
OPENAPI = Path(__file__).parents[2] / "services" / "gateway" / "openapi.json"
WITHIN_S = 600
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def run(*command: object, **env: str) -> None:
    process = await asyncio.create_subprocess_exec(*map(str, command), env={**os.environ, **env})
    async with asyncio.timeout(WITHIN_S):
        assert await process.wait() == 0, command


async def generated(folder: Path) -> Path:
    """The Python of an environment with the generator, which has made a client below the folder."""
    uv, python = Path(sys.executable).with_name("uv"), folder / "venv" / "bin" / "python"
    await run(uv, "venv", "--quiet", "--python", sys.executable, folder / "venv")
    locked = CLIENTS / "requirements-generator.lock"
    await run(uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", locked)
    made = ("--path", OPENAPI, "--config", CLIENTS / "generator.yaml", "--output-path", folder / "client")
    await run(python.with_name("openapi-python-client"), "generate", "--fail-on-warning", *made)
    return python


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.req("H1", "P15", "F1")
async def test_a_generated_client_takes_a_document_from_brief_to_word(stemma: LocalStemma, tmp_path: Path) -> None:
    python, sample, file = await generated(tmp_path), sample_folder(), tmp_path / "over-http.docx"
    user = client_user("default")
    token = bearer_of(ServerAddress(stemma.url, "default", user, stemma.password(user)))
    given = next(each for each in sorted((sample / "inputs").iterdir()) if each.suffix == ".md")
    arguments = (stemma.gateway_url, sample / "brief.md", given, file)
    await run(python, CLIENTS / "from_brief_to_docx.py", *arguments, PYTHONPATH=str(tmp_path / "client"), TOKEN=token)
    assert file.read_bytes().startswith(b"PK")
