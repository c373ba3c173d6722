"""What a request would lead to: it is made ready and decided like any other, and nothing of it is kept."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass, field, replace

from stemma_artifacts.store import ArtifactMissing, ArtifactStore, MemoryArtifactStore
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.plans import Plan
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import PlanChange
from stemma_domain.costs import Usual, usual
from stemma_domain.foresight import foreseen, plan_of
from stemma_domain.state import Document
from stemma_eventlog import Cause, StreamId

from .command_service import CommandService
from .comparing import Comparing
from .observing import Documents
from .requests import Received, Refused

MOST_HELD = 5 * 1024 * 1024
"""Bytes of a file that are kept while a plan is made; nothing of a longer one is looked at for it."""


@dataclass(frozen=True)
class Borrowed:
    """An artifact store that is read, and never written to: what is put in is forgotten with it."""

    artifacts: ArtifactStore
    own: MemoryArtifactStore = field(default_factory=MemoryArtifactStore)

    async def put(self, tenant: str, document_id: str, data: bytes, *, media_type: str, name: str) -> ArtifactRef:
        """See `ArtifactStore.put`."""
        return await self.own.put(tenant, document_id, data, media_type=media_type, name=name)

    async def put_pieces(self, tenant: str, document_id: str, ref: ArtifactRef, pieces: AsyncIterator[bytes]) -> None:
        """See `ArtifactStore.put_pieces`; what is long is checked as it comes, and dropped."""
        if ref.size <= MOST_HELD:
            await self.own.put_pieces(tenant, document_id, ref, pieces)
            return
        async for _ in pieces:
            pass

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        """See `ArtifactStore.get`."""
        try:
            return await self.own.get(tenant, document_id, ref)
        except ArtifactMissing:
            return await self.artifacts.get(tenant, document_id, ref)

    async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
        """See `ArtifactStore.pieces`."""
        yield await self.get(tenant, document_id, ref)


@dataclass(frozen=True)
class Planning:
    """Answers what requests would lead to, from the documents as the log has them now."""

    commands: CommandService
    documents: Documents

    async def plan(self, received: Received, request: PlanChange, cause: Cause) -> Plan:
        """The plan of a request; raises `Refused` for one that would be, with the fields of its body."""
        stream = StreamId(received.tenant, received.document_id)
        document = (await self.commands.store.load(stream)).state
        if not isinstance(document, Document):
            raise Refused(Problem.of("document_unknown", "document_id", document_id=received.document_id))
        borrowed = Borrowed(self.commands.intake.artifacts)
        intake, comparing = replace(self.commands.intake, artifacts=borrowed), Comparing(borrowed)
        commands = replace(self.commands, intake=intake, comparing=comparing)
        try:
            command = await commands.prepared(received, request.planned, cause, document)
        except Refused as refusal:
            raise Refused(*map(_of_body, refusal.problems)) from None
        found = await asyncio.to_thread(foreseen, await comparing.compared(command, document), document)
        if found.problems:
            raise Refused(*map(_of_body, found.problems))
        known = await self._documents(stream.tenant, document)
        return await asyncio.to_thread(lambda: plan_of(found, _usual(known)))

    async def _documents(self, tenant: str, document: Document) -> list[Document]:
        """This document and others of its kind."""
        await self.documents.look()
        others = [self.commands.store.known(StreamId(tenant, name)) for name in self.documents.like(tenant, document)]
        states = [document, *(folded.state for folded in await asyncio.gather(*others))]
        return [state for state in states if isinstance(state, Document)]


def _usual(documents: Iterable[Document]) -> Usual:
    """What work takes in them."""
    return usual((_kinds(document), document.costs) for document in documents)


def _kinds(document: Document) -> dict[str, str]:
    return {name: section.plan.kind for name, section in document.sections.items()}


def _of_body(problem: Problem) -> Problem:
    return problem.model_copy(update={"field": f"body.{problem.field}" if problem.field else "body"})
