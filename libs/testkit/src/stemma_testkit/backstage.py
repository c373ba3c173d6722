"""The other side of the bus, for tests of callers: a real server, and what the orchestrator would say."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import nats
import pytest
from nats.aio.client import Client as NatsConnection
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_client import Client, DocumentView, RecordedEvent
from stemma_client.reading import read_document
from stemma_contracts import Contract, envelope_for, registry, subjects
from stemma_contracts.v1 import answers, events, requests
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import BudgetView
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_messaging.cancellation import end
from stemma_provisioning import PROVISIONER, NatsServer, inbox_prefix

from .document_events import CREATED_AT, TENANT, document_requested, review_requested, section_drafted, time_of
from .servers import provisioned_server

__all__ = [
    "after",
    "backstage",
    "client",
    "document_id",
    "drafted",
    "environment",
    "open_backstage",
    "own_server",
    "requested",
    "reviewable",
    "server",
]
"""The fixtures of whoever tests a caller, for a ``conftest.py`` to take all at once."""


LOOK_AGAIN_S = 3.0
_REQUESTS = subjects.request(TENANT, subjects.ANY).removesuffix(subjects.ANY)


class Backstage:
    """The other side of the bus: it appends events and answers requests as the orchestrator would."""

    def __init__(self, connection: NatsConnection) -> None:
        self.nats = connection
        self.js = connection.jetstream(timeout=30)
        self.artifacts = JetStreamArtifactStore(self.js)
        self.received: list[tuple[Msg, requests.Request]] = []
        self.problems: tuple[Problem, ...] = ()
        self.rejected: dict[str, Any] = {}
        self.accepted: dict[str, Any] = {}
        self.on_request: Callable[[requests.Request], Any] | None = None
        self._numbers: dict[str, int] = {}
        self._heard: set[str] = set()
        self._looked_at = 0
        self._at_work = asyncio.Lock()

    async def listen(self) -> None:
        await self.nats.subscribe(subjects.request(TENANT, subjects.ANY), cb=self._hear)
        await self.nats.flush()
        self._looked_at = await self._last_stored()

    async def look(self) -> None:
        """Answer what is stored and was not heard: a subscription misses messages, and the orchestrator has none."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            with suppress(Exception):  # as nats-py does with those of its callbacks
                last = await self._last_stored()
                while self._looked_at < last and not self._at_work.locked():
                    self._looked_at += 1
                    await self._look_at(self._looked_at)

    async def _last_stored(self) -> int:
        return int((await self.js.stream_info(subjects.REQUESTS)).state.last_seq)

    async def _look_at(self, sequence: int) -> None:
        with suppress(NotFoundError):
            raw = await self.js.get_msg(subjects.REQUESTS, sequence)
            headers = raw.headers or {}
            if str(raw.subject).startswith(_REQUESTS) and headers.get("Nats-Msg-Id") not in self._heard:
                await self._hear(Msg(self.nats, str(raw.subject), data=raw.data or b"", headers=headers))

    async def _hear(self, message: Msg) -> None:
        async with self._at_work:
            self._heard.add((message.headers or {}).get("Nats-Msg-Id", ""))
            await self._answer(message)

    async def _answer(self, message: Msg) -> None:
        entry = registry.by_token(registry.entry_of(requests.PauseDocument).family, message.subject.split(".")[-1])
        request = registry.decode(entry.ce_type, message.data)
        assert isinstance(request, requests.Request)
        self.received.append((message, request))
        if self.on_request is not None:
            await self.on_request(request)
        await self.answer(str(request.request_id), message.data, getattr(request, "document_id", "new-document"))

    async def answer(self, request_id: str, body: bytes, document_id: str) -> None:
        common: dict[str, Any] = {
            "request_id": request_id,
            "request_sequence": 1,
            "request_digest": hashlib.sha256(body).hexdigest(),
        }
        accepted = answers.RequestAccepted(**common, document_id=document_id, **{"export_id": "x1", **self.accepted})
        rejected = answers.RequestRejected(**common, problems=self.problems, **self.rejected)
        answer = rejected if self.problems else accepted
        await self._publish(subjects.answer(TENANT, request_id), answer, document_id)

    async def append(self, document_id: str, *contracts: Contract) -> None:
        for contract in contracts:
            token = registry.entry_of(contract).token
            number = self._numbers[document_id] = self._numbers.get(document_id, 0) + 1
            await self._publish(subjects.event(TENANT, document_id, token), contract, document_id, number)

    async def _publish(self, subject: str, contract: Contract, about: str, number: int = 0) -> None:
        envelope = envelope_for(
            registry.entry_of(contract),
            id=uuid4().hex,
            source="test",
            subject=f"{TENANT}/{about}",
            time=CREATED_AT,
            sequence=number,
        )
        await self.js.publish(subject, registry.encode(contract), headers=envelope.headers())

    async def text(self, document_id: str, text: str) -> ArtifactRef:
        data = text.encode()
        return await self.artifacts.put(TENANT, document_id, data, media_type="text/markdown", name="draft.md")

    async def summarise(self, summary: DocumentSummary) -> None:
        key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(TENANT, summary.document_id)}"
        await self.js.publish(key, summary.model_dump_json().encode())

    async def list_research(
        self,
        document_id: str,
        becomes: DocumentStatus = DocumentStatus.RUNNING,
        budget: BudgetView | None = None,
        **told: Any,
    ) -> None:
        """Put a document into the list, with one section: it waits for review unless something else is told."""
        waits = {"status": SectionStatus.AWAITING_REVIEW, "version": 1, **told}
        section = SectionSummary(section_id="research", title="Research", **waits)
        await self.summarise(
            DocumentSummary(
                document_id=document_id,
                kind="proposal",
                status=becomes,
                created_at=CREATED_AT,
                last_sequence=1,
                sections=(section,),
                budget=budget,
            )
        )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path_factory.mktemp("nats"), ack_wait_s=None) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path, ack_wait_s=None) as running:
        yield running


@asynccontextmanager
async def provisioner(server: NatsServer) -> AsyncIterator[NatsConnection]:
    connection = await nats.connect(
        server.url,
        user=PROVISIONER,
        password=server.passwords[PROVISIONER],
        inbox_prefix=inbox_prefix(PROVISIONER),
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.1,
        error_cb=_quiet,
    )
    try:
        yield connection
    finally:
        await connection.close()


async def _quiet(error: Exception) -> None:
    pass


@pytest.fixture
def environment(server: NatsServer) -> dict[str, str]:
    return {
        "STEMMA_NATS_URL": server.url,
        "STEMMA_NATS_USER": "client-default",
        "STEMMA_NATS_PASSWORD": server.passwords["client-default"],
        "STEMMA_TENANT": TENANT,
        "STEMMA_ACTOR": "ana",
    }


@asynccontextmanager
async def _backstage(server: NatsServer) -> AsyncIterator[Backstage]:
    async with provisioner(server) as connection:
        stage = Backstage(connection)
        await stage.listen()
        looking = asyncio.create_task(stage.look())
        try:
            yield stage
        finally:
            await end([looking])


@pytest.fixture
def open_backstage() -> Callable[..., Any]:
    return _backstage


@pytest.fixture
async def backstage(server: NatsServer) -> AsyncIterator[Backstage]:
    async with _backstage(server) as stage:
        yield stage


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    password = server.passwords["client-default"]
    async with Client.connect(server.url, tenant=TENANT, user="client-default", password=password) as connected:
        yield connected


@pytest.fixture
def document_id() -> str:
    return f"d{uuid4().hex}"


@pytest.fixture
def requested() -> events.DocumentRequested:
    return document_requested()


@pytest.fixture
def after(requested: events.DocumentRequested) -> Callable[..., DocumentView]:
    """What is read after a document was requested and these events came, a minute apart."""

    def read(*contracts: Contract) -> DocumentView:
        return read_document("d1", [recorded(n, c) for n, c in enumerate((requested, *contracts), 1)])

    return read


def recorded(sequence: int, contract: Contract) -> RecordedEvent:
    entry = registry.entry_of(contract)
    envelope = envelope_for(entry, id=str(sequence), source="test", subject="d1", time=time_of(sequence))
    return RecordedEvent(envelope, contract, sequence, subjects.event(TENANT, "d1", entry.token), b"{}", 0)


@pytest.fixture
def drafted() -> Callable[..., events.SectionDrafted]:
    return section_drafted


@pytest.fixture
def reviewable() -> Callable[..., events.SectionReviewRequested]:
    return review_requested
