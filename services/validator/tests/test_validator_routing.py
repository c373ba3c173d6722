from collections.abc import Callable

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_testkit.working import routed
from stemma_validator.handlers import routes

from .conftest import Desk


@pytest.mark.req("E1", "E10")
@pytest.mark.parametrize("address", [subjects.job, subjects.bulk_job])
async def test_a_job_is_checked_and_its_outcome_published_on_both_lanes(
    address: Callable[[str, str], str], desk: Desk
) -> None:
    broker = WorkerBroker(subjects.VALIDATOR, WorkerSettings(), jobs="pushed")
    broker.include_router(routes(lambda: desk.tools))
    job = await desk.job("# Budget\n\n<b>x</b>\n")
    [(subject, outcome)] = await routed(broker, subjects.JOBS, address(subjects.VALIDATOR, "validate-draft"), job)
    assert subject == subjects.outcome(subjects.VALIDATOR, "draft-validated")
    assert isinstance(outcome, DraftValidated)
    assert (outcome.job_id, outcome.section_id) == (job.job_id, job.section.section_id)
    assert outcome.validation.rules == {"MD033": 1}
