"""The gateway is what its OpenAPI says: Schemathesis asks for everything there is, rightly and wrongly."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping
from pathlib import Path

import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client.bearer import bearer_of
from stemma_client.settings import ServerAddress, client_user
from stemma_contracts import subjects

CLIENTS = Path(__file__).parents[1] / "clients"
OPENAPI = Path(__file__).parents[2] / "services" / "gateway" / "openapi.json"
SERVICES = (subjects.ORCHESTRATOR, subjects.GATEWAY)
LIMITS = ("REQUESTS_PER_S", "REQUESTS_AT_ONCE", "REFUSALS_PER_S", "REFUSALS_AT_ONCE")
UNLIMITED: Mapping[str, Mapping[str, str]] = {
    subjects.GATEWAY: {f"STEMMA_GATEWAY_{name}": "100000" for name in LIMITS},
}
OPTIONS = ("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "25", "--continue-on-failure")
ENDLESS = ("--exclude-path", "/events")
"""It would read to the end; that of a document is asked for by ids that no document has."""


async def asked(stemma: LocalStemma, folder: Path) -> str:
    """What Schemathesis says; nothing else stands in its way than what it finds."""
    user = client_user("default")
    shown = f"Authorization: Bearer {bearer_of(ServerAddress(stemma.url, 'default', user, stemma.password(user)))}"
    program = (Path(sys.executable).with_name("schemathesis"), "--config-file", CLIENTS / "schemathesis.toml", "run")
    about = (f"{stemma.gateway_url}/openapi.json", "--header", shown, "--request-timeout", "60", "--warnings", "off")
    env = {**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(CLIENTS)}
    command = map(str, (*program, *about, "--no-color", *ENDLESS, *OPTIONS))
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, env=env, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


@pytest.mark.req("H1", "P15")
@pytest.mark.full
@pytest.mark.timeout(1800)
async def test_schemathesis_finds_nothing_that_the_specification_does_not_say(
    tmp_path: Path,
) -> None:
    async with LocalStemma(tmp_path / "stemma", services=SERVICES, env=UNLIMITED) as stemma:
        output = await asked(stemma, tmp_path)
    print(output[output.index("SUMMARY") :])
    paths = json.loads(OPENAPI.read_text(encoding="utf-8"))["paths"]
    assert f"Tested: {sum(map(len, paths.values())) - 1}\n" in output
