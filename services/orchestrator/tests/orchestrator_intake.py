"""Requests for documents as the intake takes or refuses them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from stemma_contracts.v1 import requests as r
from stemma_orchestrator.core import commands as c
from stemma_orchestrator.intake import Intake, Refused

ASKED = c.RequestMeta("r1", "0" * 64, "ada")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def create(intake: Intake, **fields: object) -> c.Create:
    request = r.CreateDocument.model_validate({"kind": "proposal", "brief": "Write it."} | fields)
    command = await intake.command("default", ASKED, request, NOW)
    assert isinstance(command, c.Create)
    return command


async def refusal_of(intake: Intake, **fields: object) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        await create(intake, **fields)
    problem = refused.value.problems[0]
    return problem.field, problem.message
