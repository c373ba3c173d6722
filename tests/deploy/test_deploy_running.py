"""Commands and variables of the compose file, with the committed server configuration, bring up all of Stemma."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from composition import Composition, fresh_variables, load
from images import Image, built
from installation import Installation, installation
from stemma_client import Client
from stemma_client.notifications import new_secret
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import SectionEdited, SectionEditProposed
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.requests import AcceptEdit
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, request_sample, wait_for

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
SECOND_LINTER = """
import subprocess
from stemma_validator.engines.markdownlint import Installation, packaged_node, packages_folder
installed = Installation(packaged_node(), packages_folder())
subprocess.run([installed.node, installed.program, "--version"], check=True)
"""
SERVICES = {"orchestrator", "generation-graph", "editor-agent", "validator", "converter", "notifier"}
RUNNING = {*SERVICES, "gateway", "admission"}
TOLD = NotificationRule(
    rule_id="end", on=(Occasion.FINISHED,), webhook="https://nobody.invalid/end", secret=new_secret()
)


async def write_a_proposal(running: Installation, variables: Mapping[str, str]) -> bytes:
    url = running.composition.here("nats", "nats://nats:4222")
    password = variables["STEMMA_PASSWORD_CLIENT_DEFAULT"]
    async with Client.connect(url, tenant="default", user="client-default", password=password) as client:
        await client.notifications.add(TOLD)
        document_id = await request_sample(client, ReviewMode.NONE)
        await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
        assert (await client.document(document_id)).status is DocumentStatus.COMPLETED
        await client.edit(document_id, "conclusion", 1, instruction="Say that the figures were read twice.")
        proposed = (await wait_for(client, document_id, lambda event: isinstance(event, SectionEditProposed)))[-1]
        assert isinstance(proposed.contract, SectionEditProposed)
        await client.request(
            AcceptEdit(
                document_id=document_id, section_id="conclusion", version=1, proposal_id=proposed.contract.proposal_id
            )
        )
        await wait_for(client, document_id, lambda event: isinstance(event, SectionEdited))
        return await client.artifact(document_id, (await client.export(document_id, ExportFormat.DOCX)).artifact)


def connections(composition: Composition) -> int:
    with psycopg.connect(composition.environment("generation-graph")["STEMMA_CHECKPOINT_DSN"]) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
        assert row is not None
        return int(row[0])


async def prove(
    composition: Composition, variables: Mapping[str, str], folder: Path, images: Mapping[str, Image]
) -> None:
    with installation(composition, folder, images) as running:
        assert running.processes.keys() == RUNNING
        assert connections(composition) > 0
        document = await write_a_proposal(running, variables)
        assert document.startswith(b"PK")
        assert running.stop() == dict.fromkeys(RUNNING, 0)
        told = {span.service for span in running.spans.spans}
        assert told == SERVICES
        logs = "".join(running.log(name) for name in running.images)
        assert [value for value in variables.values() if value in logs] == []


@pytest.fixture
def variables() -> dict[str, str]:
    return fresh_variables()


@pytest.mark.req("E1")
async def test_a_proposal_is_written_by_services_that_the_steps_of_their_images_have_installed(
    variables: dict[str, str], tmp_path: Path
) -> None:
    composition = load(variables)
    builds = composition.builds()
    images = {build: built(build, tmp_path / "images" / build.program) for build in set(builds.values())}
    assert len(images) == len(RUNNING)
    await prove(composition, variables, tmp_path, {name: images[build] for name, build in builds.items()})


@pytest.mark.req("V3")
def test_the_image_of_the_validator_has_the_second_linter_if_it_is_asked_for(
    variables: dict[str, str], tmp_path: Path
) -> None:
    validator = load(variables).builds()["validator"]
    image = built(replace(validator, arguments=(*validator.arguments, ("EXTRA", "[markdownlint]"))), tmp_path)
    command = [str(image.programs / "python"), "-c", SECOND_LINTER]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "0.50.0\n"
