"""People who ask for documents and decide on them as it comes, and what became of what they asked for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeVar

from nats.errors import Error as NatsError
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_client.errors import (
    AnswerTimeoutError,
    CopyIncompleteError,
    ExportFailedError,
    RequestRejectedError,
    ServerUnreachableError,
)
from stemma_client.inputs import InputPath, collect
from stemma_client.settings import DEFAULT_TENANT
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_provisioning import client_user
from stemma_testkit.driving import ENDS, sample_folder

SECTIONS = (("research",), ("solution",), ("budget",), ("connections",))
FORMATS = (ExportFormat.MD, ExportFormat.HTML, ExportFormat.DOCX, ExportFormat.PDF)
AGENTIC_SHARE = 0.2
OVER = (DocumentStatus.COMPLETED, DocumentStatus.FAILED, DocumentStatus.CANCELLED)
BOTH_SHARE = 0.3
"""Of the decisions that two people make at the same time."""
ANSWER_WITHIN_S = 90.0
AGAIN_AFTER_S = 0.5
T = TypeVar("T")


async def reached(call: Callable[[], Awaitable[T]]) -> T:
    """What a call gives, which is made again for as long as no server answers."""
    while True:
        try:
            return await call()
        except (NatsError, ServerUnreachableError, CopyIncompleteError):
            await asyncio.sleep(AGAIN_AFTER_S)


@dataclass
class Asked:
    """What all people asked for, by the ids of their requests; ``unanswered`` were never answered."""

    requests: int = 0
    refused: int = 0
    accepted: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    exports: int = 0
    failed: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)

    def new_id(self) -> str:
        """The id of one more request, which it keeps when it is made again."""
        self.requests += 1
        return f"soak-{self.requests}"


@dataclass
class Person:
    """One of several; ``colleague`` decides beside them now and then."""

    client: Client
    random: Random
    asked: Asked
    colleague: Client

    async def live(self, over: asyncio.Event) -> None:
        """One document after the other, until all is over; the last comes to its end."""
        while not over.is_set():
            if accepted := await self.ask(self.client, await self._wish()):
                document_id = accepted.document_id
                self.asked.documents.append(document_id)
                handled: set[int] = set()
                await reached(partial(self._see_to, document_id, handled))
                await self._export(document_id)
                self.asked.ended.add(document_id)

    async def ask(self, client: Client, request: r.Request) -> RequestAccepted | None:
        """What is answered to a request, if it is accepted; it is made again while no server answers."""
        request = request.model_copy(update={"request_id": self.asked.new_id(), "actor": client.actor})
        name = str(request.request_id)
        self.asked.unanswered.append(name)
        try:
            accepted = await self._answer(client, request, name)
        except RequestRejectedError:
            self.asked.refused += 1
            accepted = None
        else:
            self.asked.accepted.append(name)
        self.asked.unanswered.remove(name)
        return accepted

    async def _answer(self, client: Client, request: r.Request, name: str) -> RequestAccepted:
        """The answer; who has waited in vain asks for it again, as long as they live."""
        try:
            return await reached(lambda: client.request(request, wait_s=ANSWER_WITHIN_S))
        except AnswerTimeoutError:
            while True:
                with suppress(AnswerTimeoutError):
                    return await reached(lambda: client.answer(name, wait_s=ANSWER_WITHIN_S))

    async def _wish(self) -> r.CreateDocument:
        number = len(self.asked.documents) + 1000
        if self.random.random() < AGENTIC_SHARE:
            folder = sample_folder("agentic")
            inputs = [await self._uploaded(file) for file in collect([folder / "inputs"])]
            brief = f"{(folder / 'brief.md').read_text()}\n\nThis is number {number}."
            return r.CreateDocument(kind="agentic", brief=brief, inputs=tuple(inputs))
        review = ReviewPolicy(mode=self.random.choice([ReviewMode.HUMAN, ReviewMode.NONE]))
        brief = f"Write a proposal for a library of {number} bicycles in Aumont, for {number}000 EUR."
        return r.CreateDocument(kind="proposal", brief=brief, sections=self.random.choice(SECTIONS), review=review)

    async def _uploaded(self, file: InputPath) -> UploadRef:
        return await reached(lambda: self.client.upload(file.path, name=file.name))

    async def _see_to(self, document_id: str, handled: set[int]) -> None:
        """``handled`` are the places in the log of what was reacted to before a server was gone."""
        async with aclosing(self.client.follow(document_id)) as events:
            was_stale = False
            async for event in events:
                was_stale |= bool(getattr(event.contract, "makes_stale", ()))
                if isinstance(event.contract, ENDS) and await self._is_over(document_id):
                    break
                if event.sequence not in handled:
                    await self._react(document_id, event.contract)
                    handled.add(event.sequence)
                if was_stale and not event.pending:
                    await self._bring_up_to_date(document_id)

    async def _react(self, document_id: str, event: Contract | None) -> None:
        match event:
            case e.SectionReviewRequested(section_id=name, version=version):
                await self._decide(document_id, name, version)
            case e.SectionNeedRaised(section_id=name, need=need) if need.kind in ("question", "upload"):
                skipped = r.AnswerNeed(document_id=document_id, section_id=name, need_id=need.need_id, answer="skip")
                await self.ask(self.client, skipped)
            case e.SectionRevisionRefused(section_id=name):
                await self._approve(document_id, name)

    async def _bring_up_to_date(self, document_id: str) -> None:
        """Decide about one section that is stale since somebody has changed what it rests on."""
        sections = (await reached(lambda: self.client.document(document_id))).sections.values()
        for section in sections:
            if section.is_to_be_kept_or_regenerated and not section.waits_for_review:
                about: dict[str, Any] = {
                    "document_id": document_id,
                    "section_id": section.section_id,
                    "version": section.version,
                }
                keeps = section.version > 2 or self.random.random() < 0.5
                anew = r.RegenerateSection(**about, replace_edited=True)
                await self.ask(self.client, r.KeepSection(**about) if keeps else anew)
                return

    async def _export(self, document_id: str) -> None:
        self.asked.exports += 1
        request = r.ExportDocument(document_id=document_id, format=self.random.choice(FORMATS))
        if accepted := await self.ask(self.client, request):
            try:
                await reached(partial(self.client.exported, document_id, str(accepted.export_id)))
            except ExportFailedError as error:
                self.asked.failed.append(f"{request.format} of {document_id}: {error.detail}")

    async def _decide(self, document_id: str, name: str, version: int) -> None:
        """Alone or together with another one, of whom one comes too late."""
        people = [self.client, self.colleague] if self.random.random() < BOTH_SHARE else [self.client]
        about = {"document_id": document_id, "section_id": name, "version": version}
        await asyncio.gather(*(self.ask(one, self._decision(about)) for one in people))
        await self._approve(document_id, name)

    async def _approve(self, document_id: str, name: str) -> None:
        """Approve what waits after all that was decided, if anything does."""
        section = (await reached(lambda: self.client.document(document_id))).sections[name]
        if section.waits:
            about = {"document_id": document_id, "section_id": name, "version": section.version}
            await self.ask(self.client, r.ApproveSection.model_validate(about))

    async def _is_over(self, document_id: str) -> bool:
        """Whether no late decision has opened it again."""
        return (await self.client.document(document_id)).status in OVER

    def _decision(self, about: dict[str, Any]) -> r.Request:
        chance = self.random.random()
        if chance < 0.7 or about["version"] > 2:
            return r.ApproveSection(**about)
        if chance < 0.85:
            return r.ReviseSection(**about, feedback="Name the first deadline.")
        return r.EditSection(**about, text=f"# {about['section_id'].title()}\n\nA person wrote this.\n")


@asynccontextmanager
async def people(stemma: LocalStemma, names: Sequence[str], asked: Asked) -> AsyncIterator[list[Person]]:
    """Several people of one tenant, each on a connection of their own."""
    tenant, user = DEFAULT_TENANT, client_user(DEFAULT_TENANT)
    password = stemma.password(user)
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                Client.connect(stemma.url, tenant=tenant, user=user, password=password, actor=name)
            )
            for name in names
        ]
        yield [Person(client, Random(number), asked, clients[number - 1]) for number, client in enumerate(clients)]
