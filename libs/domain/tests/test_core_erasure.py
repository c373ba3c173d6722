"""A document is erased: it ends, the services take away what they keep, and one event certifies it."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.erasure import ErasedStore
from stemma_domain.commands import Asked, Record
from stemma_domain.evolve import evolve
from stemma_domain.features.erasure import Erase
from stemma_domain.state import Erased, NoDocument
from stemma_domain.work import closed_jobs

pytestmark = pytest.mark.req("O7")
GONE = Erase((ErasedStore(store="artifacts", count=3), ErasedStore(store="uploads", count=0)), ("backups",))


def erase(story: Story, sequence: int = 0) -> Asked[r.EraseDocument]:
    return asking.ask(r.EraseDocument, story.asked(), sequence=sequence, library=False)


def told(story: Story, kind: type[o.Outcome], **fields: Any) -> Record:
    [(job_id, _)] = story.open_jobs().items()
    return Record(kind(job_id=job_id, tenant=asking.TENANT, document_id=asking.DOCUMENT, **fields))


@pytest.fixture
def paused(begun: Story) -> Story:
    begun.ask(asking.pause)
    return begun


def test_an_erasure_ends_what_is_under_way_and_asks_the_services_for_what_they_keep(paused: Story) -> None:
    before = paused.state
    paused.when(erase(paused)).then_types(e.DocumentErasureRequested)
    [job] = paused.open_jobs().values()
    assert isinstance(job, j.EraseThreads)
    assert paused.document.status == DocumentStatus.CANCELLED
    assert len(closed_jobs(before, paused.state)) == 1


def test_a_document_that_runs_or_went_on_since_it_was_shown_is_not_erased(begun: Story) -> None:
    begun.when(erase(begun)).then_refused("document_running")
    begun.ask(asking.pause)
    begun.when(erase(begun, sequence=7)).then_refused("document_went_on")


def test_nothing_is_decided_about_a_document_that_is_being_erased_and_what_comes_late_changes_nothing(
    paused: Story,
) -> None:
    late = paused.job_of("research")
    paused.when(erase(paused))
    paused.ask(asking.resume).then_refused("document_erasing")
    paused.when(erase(paused)).then_refused("document_erasing")
    paused.drafted("research", job_id=late).then_types(e.OutcomeSuperseded)
    paused.when(GONE).then_nothing_happened()


def test_the_event_that_stays_says_what_went_and_by_whom_and_is_all_that_a_reader_needs(paused: Story) -> None:
    asked = erase(paused)
    paused.when(asked)
    paused.when(told(paused, o.ThreadsErased, threads=2))
    [certificate] = paused.when(GONE)
    assert isinstance(certificate, e.DocumentErased)
    assert {one.store: one.count for one in certificate.erased} == {"threads": 2, "artifacts": 3, "events": 4}
    assert (certificate.request_id, certificate.actor) == (asked.asked["request_id"], "ada")
    assert certificate.remain == ("backups",)
    assert isinstance(paused.state, Erased)
    assert evolve(NoDocument(), certificate) == paused.state


def test_of_an_erased_document_nothing_comes_back(paused: Story) -> None:
    late = paused.job_of("research")
    paused.when(erase(paused))
    paused.when(told(paused, o.ThreadsErased))
    paused.when(GONE)
    paused.drafted("research", job_id=late).then_nothing_happened()
    paused.ask(asking.resume).then_nothing_happened()
    assert paused.open_jobs() == {}
    requested = paused.history[0]
    assert evolve(paused.state, requested) is paused.state


def test_an_erasure_that_a_service_had_to_give_up_waits_until_it_is_asked_for_again(paused: Story) -> None:
    paused.when(erase(paused))
    paused.when(told(paused, o.JobDead, detail="exhausted")).then_types(e.DocumentThreadsErased)
    assert paused.open_jobs() == {}
    paused.when(GONE).then_nothing_happened()
    paused.when(erase(paused)).then_types(e.DocumentErasureRequested)
    assert len(paused.open_jobs()) == 1
