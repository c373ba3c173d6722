"""Every first acknowledgement of what services publish is lost: nothing is there twice, and no call is paid twice.

It would find: an event, a job, an outcome or an answer that is stored once more when it is published once more, a
service that ends over it, a call that is made again although it was recorded.
"""

from collections import Counter
from pathlib import Path

import pytest
from faults_here import as_user, asked, completes, here
from nats.js import JetStreamContext
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import PROVISIONER
from stemma_testkit.defects import publishes_without_ids
from stemma_testkit.servers import eventually
from stemma_testkit.swallowing import FirstAcknowledgements, swallowing

WRITING = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.VALIDATOR)
STREAMS = {
    subjects.EVENTS: "stemma.event.",
    subjects.JOBS: "stemma.job.",
    subjects.OUTCOMES: "stemma.outcome.",
    subjects.ANSWERS: "stemma.answer.",
    subjects.DEAD: "stemma.dead.",
}


async def written_without_first_acknowledgements(folder: Path, section: str, *, told: bool) -> None:
    acknowledgements = FirstAcknowledgements()
    async with (
        LocalStemma(folder, services=[]) as stemma,
        swallowing(stemma.url, acknowledgements.swallows, acknowledgements.publishes, told=told) as url,
        here(stemma, WRITING, url),
        stemma.client() as client,
        as_user(stemma, PROVISIONER) as everything,
    ):
        document_id = await asked(client, ReviewMode.NONE, "one", section, within_s=200)
        await completes(client, document_id, within_s=1800)
        history = await client.history(document_id)
        there = await stored_in_the_end(everything.jetstream(timeout=10))

    assert there == {stream: acknowledgements.different(root) for stream, root in STREAMS.items()}
    assert there[subjects.DEAD] == 0
    assert acknowledgements.lost >= sum(there.values())
    assert [event.envelope.sequence for event in history] == list(range(1, len(history) + 1))
    drafted = Counter(event.contract.section_id for event in history if isinstance(event.contract, e.SectionDrafted))
    assert section in drafted
    assert set(drafted.values()) == {1}
    recorded = [number for name, number in acknowledgements.published.items() if name.startswith("stemma.record.")]
    assert set(recorded) == {1}, "a call that is made again is recorded again"


async def stored_in_the_end(js: JetStreamContext) -> dict[str, int]:
    """How many messages each stream ever took, once no job and no outcome waits."""

    async def all_is_done() -> bool:
        queues = [await js.stream_info(queue) for queue in (subjects.JOBS, subjects.OUTCOMES)]
        return not any(queue.state.messages for queue in queues)

    await eventually(all_is_done, within_s=200)
    return {stream: (await js.stream_info(stream)).state.last_seq for stream in STREAMS}


@pytest.mark.req("F5", "P8")
async def test_nothing_is_doubled_where_every_first_acknowledgement_is_lost(tmp_path: Path) -> None:
    await written_without_first_acknowledgements(tmp_path, "research", told=True)


@pytest.mark.full
@pytest.mark.req("F5")
async def test_the_proof_finds_messages_without_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publishes_without_ids(monkeypatch)
    with pytest.raises(AssertionError):
        await written_without_first_acknowledgements(tmp_path, "research", told=True)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.req("F5", "P8")
async def test_nothing_is_doubled_where_nothing_is_heard_of_the_first_acknowledgements(tmp_path: Path) -> None:
    await written_without_first_acknowledgements(tmp_path, "solution", told=False)
