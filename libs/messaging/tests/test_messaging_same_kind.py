"""Jobs that name the data of their document kind, and workers that have the same or other data."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.jobs import SectionJob
from stemma_contracts.v1.section import SectionPlan
from stemma_messaging.outages import is_outage, reason_of
from stemma_messaging.same_kind import GIVEN_BACK, KindDiffers, SameKind

OLD, NEW = "a" * 64, "b" * 64


def job(digest: str | None) -> SectionJob:
    head = DocumentHead(document_id="doc", tenant="default", kind="memo", created_at=datetime(2026, 1, 5, tzinfo=UTC))
    plan = SectionPlan(section_id="a", title="A", kind="a", graph="section", purpose="Why.")
    return SectionJob(job_id="doc.1.generate-section.a", document=head, section=plan, kind_digest=digest)


def worker(here: str | None, current: str | None = None, deliveries: int = 1) -> SameKind:
    async def told(_: str) -> str | None:
        return current

    return SameKind({"memo": here} if here else {}, told, lambda: deliveries)


@pytest.mark.parametrize("digest", [None, NEW])
async def test_a_job_for_the_same_data_or_for_any_is_done(digest: str | None) -> None:
    await worker(NEW, OLD).require(job(digest))


async def test_a_job_that_an_older_orchestrator_published_is_done_by_who_has_the_data_of_the_newer() -> None:
    await worker(NEW, current=NEW).require(job(OLD))


@pytest.mark.failure("other-kind")
@pytest.mark.parametrize(("here", "current"), [(OLD, NEW), (OLD, None), (None, NEW), (None, None)])
async def test_a_job_for_other_data_is_given_back_and_later_kept_until_the_worker_is_stopped(
    here: str | None, current: str | None
) -> None:
    for deliveries in range(1, GIVEN_BACK + 2):
        with pytest.raises(KindDiffers, match=f"memo is wanted as {NEW[:12]}, ") as differs:
            await worker(here, current, deliveries).require(job(NEW))
        assert is_outage(differs.value) == (deliveries > GIVEN_BACK)
    assert reason_of(differs.value) == str(differs.value)
