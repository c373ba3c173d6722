"""Poison on every subject: what it is about may suffer by it, the document beside it, other tenants and readers not.

It would find: a message that comes again for ever, a dead letter without a reason, a reader that ends, a document of
the same or of another tenant that stands still.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from faults_here import as_user, asked, completes, here, is_explained
from faults_poison import Poison, of_contracts, of_stores
from nats.aio.client import Client as Nats
from nats.js import JetStreamContext
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, StemmaError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import PROVISIONER
from stemma_provisioning.topology import consumers
from stemma_testkit.defects import stops_at_what_is_no_event
from stemma_testkit.driving import DEADLINE_S, ENDS, wait_for
from stemma_testkit.servers import barrier, eventually

TENANTS = ("default", "other")
ABOUT_A_DOCUMENT = ("job", "outcome", "event")
"""What is no decision of a person. The samples of events say that they belong to another document."""
AT_ONCE = 50
LIVE = "stemma.live."
"""Tokens as they come are heard from who writes them alone."""


@dataclass(frozen=True)
class Poisoned:
    """An installation of two tenants, a connection that may publish anything to its streams, and a writer's."""

    nats: Nats
    writer: Nats
    clients: tuple[Client, Client]

    @property
    def jetstream(self) -> JetStreamContext:
        return self.nats.jetstream(timeout=30)

    async def send(self, poison: Iterable[Poison]) -> None:
        """Send it all; the server has it then."""
        sent = list(poison)
        for start in range(0, len(sent), AT_ONCE):
            for one in sent[start : start + AT_ONCE]:
                speaker = self.writer if one.subject.startswith(LIVE) else self.nats
                await speaker.publish(one.subject, one.data, headers=dict(one.headers) or None)
            await barrier(self.nats)

    async def settled(self) -> bool:
        """Whether no message waits, and none comes again."""
        for consumer in consumers(TENANTS):
            info = await self.jetstream.consumer_info(consumer.stream, consumer.durable)
            if info.num_pending or info.num_ack_pending:
                return False
        return True

    async def unexplained(self) -> list[int]:
        """The dead letters that do not say why they are there, but for those that were forged."""
        last = (await self.jetstream.stream_info(subjects.DEAD)).state.last_seq
        letters = [await self.jetstream.get_msg(subjects.DEAD, number) for number in range(1, last + 1)]
        told = [(letter.seq or 0, letter.headers) for letter in letters if letter.headers]
        return [number for number, headers in told if not is_explained(headers)]


@asynccontextmanager
async def poisoned(folder: Path) -> AsyncIterator[Poisoned]:
    async with (
        LocalStemma(folder, tenants=TENANTS, services=[], ack_wait_s=2) as stemma,
        here(stemma, subjects.SERVICES, stemma.url),
        stemma.client("default") as one,
        stemma.client("other") as other,
        as_user(stemma, PROVISIONER) as everything,
        as_user(stemma, subjects.GENERATION) as writer,
    ):
        yield Poisoned(everything, writer, (one, other))


async def read_to_its_end(client: Client, document_id: str, begun: asyncio.Event) -> None:
    """One reader, from before the poison to the end of the document."""
    async with aclosing(client.follow(document_id)) as events:
        async for event in events:
            begun.set()
            if isinstance(event.contract, ENDS):
                return


async def read_live(client: Client, document_id: str) -> None:
    """One who reads tokens as they come, whatever comes."""
    async with aclosing(client.follow_live(document_id)) as pieces:
        async for piece in pieces:
            assert piece.section_id == "research"


async def swallow(folder: Path, seed: int, each: int, share: float, within_s: float = DEADLINE_S) -> None:
    """``each`` of every kind of poison for each contract, and of that a ``share``."""
    async with poisoned(folder) as installation:
        mine, other = installation.clients
        document_id = await asked(mine, ReviewMode.HUMAN, "before")
        await wait_for(mine, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
        begun = asyncio.Event()
        reading = asyncio.create_task(read_to_its_end(mine, document_id, begun))
        live = asyncio.create_task(read_live(mine, document_id))
        await begun.wait()

        random = Random(seed)
        poison = chain(
            of_contracts("default", "d-nobody", random, each),
            of_contracts("default", document_id, random, each, ABOUT_A_DOCUMENT),
        )
        await installation.send(one for one in poison if random.random() < share)
        await installation.send(of_stores("default", document_id))

        await completes(other, await asked(other, ReviewMode.NONE, "after-other"), within_s)
        await completes(mine, await asked(mine, ReviewMode.NONE, "after-default"), within_s)
        approve = r.ApproveSection(document_id=document_id, section_id="research", version=1)
        await mine.request(approve, wait_s=within_s)
        await completes(mine, document_id, within_s)
        async with asyncio.timeout(60):
            await reading
        assert not live.done()
        live.cancel()
        assert await mine.kinds() is not None
        assert await mine.recipes() is not None
        await eventually(installation.settled, within_s=120)
        assert await installation.unexplained() == []


@pytest.mark.req("F5", "S3")
async def test_poison_on_every_subject_stops_nobody(tmp_path: Path) -> None:
    await swallow(tmp_path, seed=1, each=1, share=0.4)


@pytest.mark.full
@pytest.mark.req("F5", "S3")
async def test_the_proof_finds_a_reader_that_stops_at_what_is_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops_at_what_is_no_event(monkeypatch)
    with pytest.raises(StemmaError):
        await swallow(tmp_path, seed=1, each=1, share=0.4, within_s=15)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.req("F5", "S3")
@pytest.mark.parametrize("seed", range(2, 5))
async def test_much_poison_on_every_subject_stops_nobody(tmp_path: Path, seed: int) -> None:
    await swallow(tmp_path, seed, each=8, share=1)
