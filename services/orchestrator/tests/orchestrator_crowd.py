"""Clients and workers who do whatever comes to their mind, all at once, on a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

from domain_naive import Ask, Say
from domain_story import DECIDER
from domain_witness import NEED, outcome_of, say_of
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_client import Client
from stemma_client.errors import RequestRejectedError
from stemma_contracts import Envelope, registry, subjects
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.outcomes import DraftRevised, SectionGenerated
from stemma_domain.commands import Command
from stemma_domain.state import Document, State, status_of
from stemma_eventlog import EventStore, JetStreamEventLog, StreamId
from stemma_messaging import Publisher
from stemma_messaging.cancellation import end
from stemma_provisioning import NatsServer
from stemma_provisioning.topology import deliver_subject
from stemma_testkit.servers import connected

TENANT = "default"
POLL_S = 0.05
HELD = 3
IDEAS = {
    "queued": ["write"],
    "generating": ["answer", "answer", "answer", "retry", "write", "edit", "regenerate"],
    "awaiting_review": ["approve"] * 6 + ["revise", "write", "edit", "regenerate", "keep"],
    "approved": ["edit", "write", "regenerate", "keep", "keep", "restore", "approve"],
    "edited": ["edit", "write", "regenerate", "keep", "keep", "restore", "revise"],
    "failed": ["retry", "retry", "retry", "write", "regenerate"],
}
DECIDING: dict[str, type[r.ProposalDecision]] = {"accept": r.AcceptEdit, "reject": r.RejectEdit}
"""The words of these are the id of a proposed edit."""
PROPOSED = ["accept"] * 3 + ["reject", "write", "edit", "regenerate"]
WORK: dict[type[j.Job], str] = {
    j.GenerateSection: "generate",
    j.ResumeGraph: "generate",
    j.ReviseDraft: "edit",
    j.ValidateDraft: "validate",
    j.EvaluateDraft: "check-evaluate",
    j.ConvertDocument: "convert",
}


@dataclass
class Crowd:
    """What was asked and said, by request and by job."""

    server: NatsServer
    random: Random
    asks: dict[str, Ask] = field(default_factory=dict)
    accepted: dict[str, bool] = field(default_factory=dict)
    said: dict[str, Say] = field(default_factory=dict)
    numbers: Any = field(default_factory=count)

    async def ask(self, client: Client, document_id: str, ask: Ask) -> None:
        """Ask, now and then twice under one id, and remember the answer."""
        request_id = f"ask-{next(self.numbers)}"
        self.asks[request_id] = ask
        request = request_of(ask, document_id, request_id)
        times = 2 if self.random.random() < 0.2 else 1
        answers = await asyncio.gather(*(_answered(client, request) for _ in range(times)))
        assert len(set(answers)) == 1
        self.accepted[request_id] = answers[0]

    async def clients(self, client: Client, document_id: str, requests: int) -> None:
        """One client: looks at the log and asks for something, again and again."""
        async with connected(self.server) as nats:
            store: EventStore[Command, State, AnyEvent] = EventStore(JetStreamEventLog(nats), DECIDER)
            for _ in range(requests):
                state = (await store.load(StreamId(TENANT, document_id))).state
                assert isinstance(state, Document)
                await self.ask(client, document_id, self._idea(state))

    def _idea(self, document: Document) -> Ask:
        chance = self.random.random()
        if chance < 0.06 or (document.lifecycle == "paused" and chance < 0.4):
            return Ask("resume" if document.lifecycle == "paused" else self.random.choice(["pause", "export"]))
        name, section = self.random.choice(list(document.sections.items()))
        verb = self.random.choice(PROPOSED if section.proposal else IDEAS[status_of(section.phase)])
        words = self._text(name) if verb == "write" else f"{name} {self.random.randrange(4)}"
        return Ask(
            verb,
            name,
            section.current_number if verb in ("write", "edit") else max(1, section.current_number),
            section.proposal.proposal_id if section.proposal and verb in DECIDING else words,
            number=self.random.randint(1, max(1, section.current_number)),
            replace=self.random.random() < 0.7,
        )

    def _text(self, name: str) -> str:
        """Two texts may have another beginning, another end or both: some are merged, and some are in conflict."""
        begin, end = self.random.randrange(3), self.random.randrange(3)
        return f"{name} begins {begin}.\n\nWhat always stands.\n\n{name} ends {end}."

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """All workers, each as the user of its service; one that fails ends what waits for its work."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._work(service, consumer))
                for service in subjects.WORKERS
                for consumer in subjects.job_consumers(service)
            ]
            try:
                yield
            finally:
                await end(tasks)

    async def _work(self, service: str, consumer: str) -> None:
        """Take jobs, hold some back, and answer in any order, now and then twice."""
        held: list[Msg] = []
        async with connected(self.server, service) as nats, _jobs(nats, service, consumer) as jobs:
            jetstream = nats.jetstream(timeout=10)
            publisher, artifacts = Publisher(jetstream, service), JetStreamArtifactStore(jetstream)
            while True:
                message = await jobs.take()
                if message is not None:
                    held.append(message)
                if held and (message is None or len(held) > HELD):
                    await self._answer(held.pop(self.random.randrange(len(held))), service, publisher, artifacts)

    async def _answer(
        self, message: Msg, service: str, publisher: Publisher, artifacts: JetStreamArtifactStore
    ) -> None:
        envelope = Envelope.from_headers(message.headers or {})
        job = registry.decode(envelope.type, message.data)
        assert isinstance(job, j.Job)
        section_id = job.section.section_id if isinstance(job, j.SectionJob) else None
        work = (WORK[type(job)], section_id or "")
        fresh = say_of(0, work, self.random.randrange(20), self.random.random() < 0.8)
        written = fresh.verb in ("generated", "revised")
        say = self.said.setdefault(job.job_id, replace(fresh, words=self._text(work[1])) if written else fresh)
        outcome = outcome_of(say, job.job_id, section_id, job.document.document_id)
        if isinstance(outcome, SectionGenerated | DraftRevised):
            await artifacts.put(
                TENANT, job.document.document_id, say.words.encode(), media_type="text/markdown", name="draft.md"
            )
        for number in range(2 if self.random.random() < 0.2 else 1):
            await publisher.publish(
                subjects.outcome(service, registry.entry_of(outcome).token),
                outcome,
                id=f"{job.job_id}.outcome.{number}",
                about=envelope.subject,
                correlation=envelope.correlation_id,
            )
        await message.ack()


class Jobs:
    """The jobs of one service."""

    def __init__(self, take: Any) -> None:
        self._take = take

    async def take(self) -> Msg | None:
        """The next job, None if there is none for a moment."""
        try:
            taken = await self._take()
        except TimeoutError:  # of nats-py, or the bare one that it lets through under load
            return None
        message = taken[0] if isinstance(taken, list) else taken
        assert isinstance(message, Msg)
        return message


@asynccontextmanager
async def _jobs(nats: Nats, service: str, consumer: str) -> AsyncIterator[Jobs]:
    """Those of the validator are pushed to one subject, whichever consumer they come from."""
    if service == subjects.VALIDATOR:
        pushed = await nats.subscribe(deliver_subject(subjects.JOBS, service), queue=service)
        yield Jobs(lambda: pushed.next_msg(timeout=POLL_S))
        return
    pulled = await nats.jetstream(timeout=10).pull_subscribe_bind(consumer, stream=subjects.JOBS)
    yield Jobs(lambda: pulled.fetch(1, timeout=POLL_S))


async def _answered(client: Client, request: r.Request) -> bool:
    try:
        await client.request(request)
    except RequestRejectedError:
        return False
    return True


def request_of(ask: Ask, document_id: str, request_id: str) -> r.Request:
    """The request behind what a person asks for."""
    about: dict[str, Any] = {"request_id": request_id, "document_id": document_id}
    section: dict[str, Any] = {**about, "section_id": ask.section}
    version: dict[str, Any] = {**section, "version": ask.version}
    if ask.verb in DECIDING:
        return DECIDING[ask.verb](**version, proposal_id=ask.words)
    match ask.verb:
        case "approve":
            return r.ApproveSection(**version)
        case "revise":
            return r.ReviseSection(**version, feedback=ask.words)
        case "write":
            return r.EditSection(**version, text=ask.words)
        case "edit":
            return r.EditSection(**version, instruction=ask.words)
        case "keep":
            return r.KeepSection(**version)
        case "regenerate":
            return r.RegenerateSection(**version, guidance=ask.words, replace_edited=ask.replace)
        case "restore":
            return r.RestoreSection(**version, restore_version=ask.number)
        case "retry":
            return r.RetrySection(**section)
        case "answer":
            return r.AnswerNeed(**section, need_id=NEED, answer=ask.words)
        case "export":
            return r.ExportDocument(**about, format=ExportFormat.MD)
        case _:
            kinds = {"pause": r.PauseDocument, "resume": r.ResumeDocument, "cancel": r.CancelDocument}
            return kinds[ask.verb](**about)
