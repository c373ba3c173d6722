"""Requests for documents as the intake takes or refuses them."""

from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from domain_story import meta
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.events import DocumentRequested
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_domain.commands import Asked
from stemma_domain.features.documents import Create
from stemma_domain.state import Document
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.requests import Received, Refused, document_id_for

ASKED = meta("r1")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def commanded(
    intake: Intake,
    request: r.Request,
    inputs: Sequence[InputFile] = (),
    rows: ArtifactRef | None = None,
    document: Document | None = None,
) -> Asked[Any]:
    received = Received("default", ASKED, 1, 0, request, document_id_for("default", ASKED["request_id"]))
    return await intake.command(received, request, NOW, inputs, rows, document)


async def create(intake: Intake, **fields: object) -> DocumentRequested:
    request = r.CreateDocument.model_validate({"kind": "proposal", "brief": "Write it."} | fields)
    command = await commanded(intake, request)
    assert isinstance(command, Create)
    return command.requested


async def refusals_of(asking: Awaitable[object]) -> tuple[Problem, ...]:
    with pytest.raises(Refused) as refused:
        await asking
    return refused.value.problems


async def refusal_of(intake: Intake, **fields: object) -> tuple[str, str]:
    problem = (await refusals_of(create(intake, **fields)))[0]
    return problem.field, problem.message
