"""The jobs of a run are read from its log, each as it was opened, with what came of it."""

from dataclasses import replace

import pytest
from stemma_client.replays import jobs_of
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.jobs import GenerateSection, ValidateDraft
from stemma_testkit.document_events import document_requested, job, section_drafted

from .test_client_reading import recorded


@pytest.mark.req("P2", "E3")
def test_every_job_comes_once_with_the_event_that_its_outcome_became_as_far_as_one_did() -> None:
    drafted = section_drafted("research").model_copy(update={"job_id": job(1, "generate", "research")})
    late = e.OutcomeSuperseded(job_id=drafted.job_id, outcome="stemma.section.generated.v1")
    log = [recorded(n, contract) for n, contract in enumerate((document_requested(), drafted, late), 1)]
    log = [replace(one, subject=one.subject.replace(".d1.", ".doc.")) for one in log]
    (written, became), (checked, nothing) = jobs_of(log)
    assert (type(written), type(checked)) == (GenerateSection, ValidateDraft)
    assert (written.job_id, became, nothing) == (drafted.job_id, log[1], None)
