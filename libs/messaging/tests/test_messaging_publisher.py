import asyncio
from typing import Any

import pytest
from nats.js.errors import APIError
from stemma_contracts import subjects
from stemma_contracts.v1.outcomes import JobDead
from stemma_messaging import MessageTooLarge, Publisher
from stemma_messaging.addresses import stream_of, template_of
from stemma_testkit.servers import barrier

DEAD = JobDead(job_id="j1", tenant="default", document_id="d1", detail="x")
SUBJECT = subjects.outcome("validator", "job-dead")


async def test_the_same_id_is_stored_once_and_says_so(lab: Any) -> None:
    publisher = Publisher(lab.jetstream, "test")
    first = await publisher.publish(SUBJECT, DEAD, id="publisher-twice", about="default/d1")
    second = await publisher.publish(SUBJECT, DEAD, id="publisher-twice", about="default/d1")
    assert (first.duplicate, second.duplicate) == (None, True)
    assert len(await lab.stored(subjects.OUTCOMES)) == 1


@pytest.mark.req("P14")
async def test_a_message_about_all_of_a_large_document_is_stored_and_one_that_should_be_an_artifact_refused(
    lab: Any,
) -> None:
    larger = JobDead.model_construct(job_id="j", tenant="default", document_id="d1", detail="x" * 800_000)
    with pytest.raises(MessageTooLarge):
        await Publisher(lab.jetstream, "test").publish(SUBJECT, larger, id="publisher-large", about="default/d1")
    assert await lab.stored(subjects.OUTCOMES) == []
    large = JobDead.model_construct(job_id="j", tenant="default", document_id="d1", detail="x" * 786_000)
    for subject in (SUBJECT, subjects.job("validator", "validate-draft"), subjects.event("default", "d1", "x")):
        stored = await Publisher(lab.jetstream, "test").publish(subject, large, id=subject, about="default/d1")
        assert (stored.stream, stored.duplicate) == (stream_of(subject), None)


async def test_refuses_a_subject_of_no_family(lab: Any) -> None:
    with pytest.raises(KeyError):
        await Publisher(lab.jetstream, "test").publish("stemma.other.v1.x", DEAD, id="x", about="x")


async def test_what_the_server_refuses_is_raised_at_once(lab: Any) -> None:
    expected_last = {"Nats-Expected-Last-Sequence": "999999"}
    with pytest.raises(APIError):
        await Publisher(lab.jetstream, "test").publish(
            SUBJECT, DEAD, id="publisher-refused", about="x", headers=expected_last
        )


@pytest.mark.req("P17")
async def test_publishes_as_soon_as_its_stream_is_there(lab: Any) -> None:
    """As while a stream elects its leader: nobody answers for a moment."""
    config = (await lab.jetstream.stream_info(subjects.ANSWERS)).config
    await lab.jetstream.delete_stream(subjects.ANSWERS)
    subject, publisher = subjects.answer("default", "late"), Publisher(lab.jetstream, "test")
    publishing = asyncio.create_task(publisher.store(subject, b"{}", {}))
    await _first_attempt(lab)
    await lab.jetstream.add_stream(config)
    stored = await asyncio.wait_for(publishing, 20)
    assert stored.stream == subjects.ANSWERS


async def _first_attempt(lab: Any) -> None:
    """After a round trip the request that was sent before it has its answer: nobody is there."""
    await asyncio.sleep(0)
    await barrier(lab.client)


def test_a_template_names_no_document_and_no_tenant() -> None:
    assert template_of(subjects.request("acme", "approve-section")) == "stemma.request.v1.{tenant}.approve-section"
    event = subjects.event("acme", "d-17", "section-drafted")
    assert template_of(event) == "stemma.event.v1.{tenant}.{document}.section-drafted"
    assert template_of(subjects.answer("acme", "r-5")) == "stemma.answer.v1.{tenant}.{request}"
    assert template_of(SUBJECT) == SUBJECT
    assert template_of("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.JOBS.x") == "$JS"


def test_every_family_has_its_stream() -> None:
    assert stream_of(subjects.event("acme", "d-17", "section-drafted")) == subjects.EVENTS
    assert stream_of(subjects.dead("validator", "validate-draft")) == subjects.DEAD
