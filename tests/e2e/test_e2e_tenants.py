"""No tenant, and nothing that works, takes what others need."""

import psutil
import pytest
from stemma_cli.local.run import WHO_ANSWER
from stemma_cli.local.supervisor import LocalStemma
from stemma_converter.app import service as converter
from stemma_orchestrator.app import service as orchestrator

pytestmark = pytest.mark.req("S5")


@pytest.mark.full
@pytest.mark.asyncio(loop_scope="session")
async def test_who_works_leaves_the_processor_to_who_answers(apart: LocalStemma) -> None:
    nice = {name: psutil.Process(service.pid).nice() for name, service in apart.services.items()}
    answers = {*map(nice.pop, WHO_ANSWER), psutil.Process(apart.nats.pid).nice()}
    assert max(answers) < min(nice.values())


def test_all_exports_that_a_tenant_may_have_open_leave_the_converter_places_for_others() -> None:
    assert converter.load_settings().slots > orchestrator.load_settings().max_open_exports
