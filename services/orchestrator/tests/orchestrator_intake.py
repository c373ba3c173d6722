"""Requests for documents as the intake takes or refuses them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from orchestrator_story import meta
from stemma_contracts.v1 import requests as r
from stemma_orchestrator.core import documents
from stemma_orchestrator.intake import Intake, Refused

ASKED = meta("r1")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def create(intake: Intake, **fields: object) -> documents.Create:
    request = r.CreateDocument.model_validate({"kind": "proposal", "brief": "Write it."} | fields)
    command = await intake.command("default", ASKED, request, NOW)
    assert isinstance(command, documents.Create)
    return command


async def refusal_of(intake: Intake, **fields: object) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        await create(intake, **fields)
    problem = refused.value.problems[0]
    return problem.field, problem.message
