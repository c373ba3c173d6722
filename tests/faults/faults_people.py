"""People who ask for documents and decide on them as it comes, and what became of what they asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from stemma_client import Client
from stemma_client.errors import AnswerTimeoutError, ExportFailedError, RequestRejectedError
from stemma_client.settings import DEFAULT_TENANT
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.values import DocumentStatus, ExportFormat, ReviewMode, ReviewPolicy
from stemma_local.supervisor import LocalStemma
from stemma_provisioning import client_user
from stemma_testkit.driving import ENDS, sample_folder

SECTIONS = (("research",), ("solution",), ("budget",), ("connections",))
FORMATS = (ExportFormat.MD, ExportFormat.HTML)
AGENTIC_SHARE = 0.2
OVER = (DocumentStatus.COMPLETED, DocumentStatus.FAILED, DocumentStatus.CANCELLED)
BOTH_SHARE = 0.3
"""Of the decisions that two people make at the same time."""
ANSWER_WITHIN_S = 90.0


@dataclass
class Asked:
    """What all people asked for; ``lost`` are the ids of requests that were never answered."""

    requests: int = 0
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)


@dataclass
class Person:
    """One of several; ``colleague`` decides beside them now and then."""

    client: Client
    random: Random
    asked: Asked
    colleague: Client

    async def live(self, until: float) -> None:
        """One document after the other, until that moment of the monotonic clock; the last comes to its end."""
        while time.monotonic() < until:
            document_id = await self._create()
            if document_id:
                self.asked.documents.append(document_id)
                await self._see_to(document_id)
                self.asked.ended.add(document_id)

    async def ask(self, client: Client, request: r.Request) -> str | None:
        """The document of a request that was accepted."""
        request = request.model_copy(update={"request_id": f"soak-{self.asked.requests}", "actor": client.actor})
        self.asked.requests += 1
        try:
            return (await client.request(request, wait_s=ANSWER_WITHIN_S)).document_id
        except RequestRejectedError:
            self.asked.refused += 1
        except AnswerTimeoutError:
            self.asked.lost.append(str(request.request_id))
        return None

    async def _create(self) -> str | None:
        number = len(self.asked.documents) + 1000
        if self.random.random() < AGENTIC_SHARE:
            folder = sample_folder("agentic")
            with suppress(RequestRejectedError):
                self.asked.requests += 1
                brief = f"{(folder / 'brief.md').read_text()}\n\nThis is number {number}."
                accepted = await self.client.create_document("agentic", brief=brief, inputs=[folder / "inputs"])
                return accepted.document_id
            return None
        review = ReviewPolicy(mode=self.random.choice([ReviewMode.HUMAN, ReviewMode.NONE]))
        brief = f"Write a proposal for a library of {number} bicycles in Aumont, for {number}000 EUR."
        sections = self.random.choice(SECTIONS)
        return await self.ask(
            self.client, r.CreateDocument(kind="proposal", brief=brief, sections=sections, review=review)
        )

    async def _see_to(self, document_id: str) -> None:
        handled: set[tuple[str, int]] = set()
        async with aclosing(self.client.follow(document_id)) as events:
            async for event in events:
                match event.contract:
                    case e.SectionReviewRequested(section_id=name, version=version) if (name, version) not in handled:
                        handled.add((name, version))
                        await self._decide(document_id, name, version)
                    case e.SectionNeedRaised(section_id=name, need=need) if need.kind in ("question", "upload"):
                        about = {"document_id": document_id, "section_id": name, "need_id": need.need_id}
                        await self.ask(self.client, r.AnswerNeed(**about, answer="skip"))
                    case e.SectionRevisionRefused(section_id=name):
                        await self._approve(document_id, name)
                    case contract if isinstance(contract, ENDS) and await self._is_over(document_id):
                        break
        with suppress(ExportFailedError, RequestRejectedError, AnswerTimeoutError):
            self.asked.requests += 1
            await self.client.export(document_id, self.random.choice(FORMATS))

    async def _decide(self, document_id: str, name: str, version: int) -> None:
        """Alone or together with another one, of whom one comes too late."""
        people = [self.client, self.colleague] if self.random.random() < BOTH_SHARE else [self.client]
        about = {"document_id": document_id, "section_id": name, "version": version}
        await asyncio.gather(*(self.ask(one, self._decision(about)) for one in people))
        await self._approve(document_id, name)

    async def _approve(self, document_id: str, name: str) -> None:
        """Approve what waits after all that was decided, if anything does."""
        section = (await self.client.document(document_id)).sections[name]
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
