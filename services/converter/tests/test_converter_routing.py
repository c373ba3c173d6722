from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.outcomes import ConversionFailed, DocumentConverted
from stemma_converter.handlers import routes
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_testkit.routing import routed

TOO_DEEP = "> " * 300 + "deep\n"


@pytest.mark.req("E1", "E10")
@pytest.mark.parametrize("address", [subjects.job, subjects.bulk_job])
@pytest.mark.parametrize(
    ("draft", "name", "outcome"),
    [("# A\n", "document-converted", DocumentConverted), (TOO_DEEP, "conversion-failed", ConversionFailed)],
)
async def test_a_job_is_converted_and_its_outcome_published_on_both_lanes(
    exporter: Any, address: Callable[[str, str], str], draft: str, name: str, outcome: type[object]
) -> None:
    broker = WorkerBroker(subjects.CONVERTER, WorkerSettings())
    broker.include_router(routes(lambda: exporter.tools))
    job = await exporter.job("docx" if draft is TOO_DEEP else "md", draft)
    [(subject, told)] = await routed(broker, subjects.JOBS, address(subjects.CONVERTER, "convert-document"), job)
    assert (subject, type(told)) == (subjects.outcome(subjects.CONVERTER, name), outcome)
