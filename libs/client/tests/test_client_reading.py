"""A log is read as the orchestrator reads it, also one with events that this version does not know."""

from dataclasses import replace
from typing import Any

import pytest
from stemma_client import RecordedEvent
from stemma_client.reading import jobs_of, read_document
from stemma_contracts import Contract, envelope_for, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.jobs import GenerateSection, ValidateDraft
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_testkit.document_events import DOCUMENT, REF, document_requested, job, section_drafted, time_of

WRITTEN = e.SectionEdited(section_id="research", version=1, draft=REF, origin=Origin.WRITTEN, actor="ana")
LOST = e.SectionApproved(section_id="nowhere", version=1)


def recorded(sequence: int, contract: Contract) -> RecordedEvent:
    entry = registry.entry_of(contract)
    envelope = envelope_for(entry, id=str(sequence), source="test", subject=DOCUMENT, time=time_of(sequence))
    return RecordedEvent(envelope, contract, sequence, f"stemma.event.v1.default.d1.{entry.token}", b"{}", 0)


def of_a_later_release(event: RecordedEvent) -> RecordedEvent:
    unknown = replace(event.envelope, type="stemma.section.translated.v1")
    return replace(event, envelope=unknown, contract=None)


def scored(number: int) -> e.SectionChecked:
    found = Evaluation(scores={}, score=0.5, passed=False)
    opened = job(number, "evaluate", "research")
    return e.SectionChecked(section_id="research", job_id=opened, version=1, evaluation=found)


@pytest.mark.req("E3")
def test_an_event_of_a_later_release_counts_so_that_the_jobs_behind_it_are_known() -> None:
    log = [recorded(n, contract) for n, contract in enumerate((document_requested(), LOST, WRITTEN, scored(3)), 1)]
    view = read_document(DOCUMENT, [log[0], of_a_later_release(log[1]), *log[2:]])
    research = view.sections["research"]
    assert (research.status, research.checks) == (SectionStatus.EDITED, (Activity.VALIDATE,))
    assert (view.last_sequence, view.updated_at) == (4, time_of(4))


@pytest.mark.req("S3")
def test_an_event_that_does_not_fit_changes_nothing_and_does_not_count() -> None:
    contracts: tuple[Any, ...] = (document_requested(), LOST, WRITTEN, scored(2))
    view = read_document(DOCUMENT, [recorded(n, contract) for n, contract in enumerate(contracts, 1)])
    assert view.sections["research"].checks == (Activity.VALIDATE,)
    assert list(view.sections) == ["research", "solution"]


def test_a_document_that_nothing_is_known_of_is_empty() -> None:
    view = read_document("nobody", [recorded(1, WRITTEN)])
    assert (view.document_id, view.sections, view.last_sequence) == ("nobody", {}, 1)


@pytest.mark.req("P2", "E3")
def test_every_job_comes_once_with_the_event_that_its_outcome_became_as_far_as_one_did() -> None:
    drafted = section_drafted("research").model_copy(update={"job_id": job(1, "generate", "research")})
    late = e.OutcomeSuperseded(job_id=drafted.job_id, outcome="stemma.section.generated.v1")
    log = [recorded(n, contract) for n, contract in enumerate((document_requested(), drafted, late), 1)]
    log = [replace(one, subject=one.subject.replace(".d1.", ".doc.")) for one in log]
    (written, became), (checked, nothing) = jobs_of(log)
    assert (type(written), type(checked)) == (GenerateSection, ValidateDraft)
    assert (written.job_id, became, nothing) == (drafted.job_id, log[1], None)
