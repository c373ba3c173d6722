"""What each user may do and may not do, tried on the real server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import nats
import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY, REST
from stemma_provisioning import NatsServer, client_user, inbox_prefix
from stemma_provisioning.permissions import OPERATOR
from stemma_provisioning.topology import deliver_subject
from stemma_testkit.servers import barrier, connected

OWN, OTHER = client_user("default"), client_user("other")
DIGEST = "a" * 64
READ_DEAD, DROP_DEAD = "$JS.API.STREAM.MSG.GET.DEAD", "$JS.API.STREAM.MSG.DELETE.DEAD"
NO_OPERATORS = (*subjects.SERVICES, OWN)


class Caller:
    """A connection that knows what the server forbade it."""

    def __init__(self) -> None:
        self.client: Client
        self._denials: asyncio.Queue[str] = asyncio.Queue()

    async def on_error(self, error: Exception) -> None:
        await self._denials.put(str(error).lower())

    async def may_publish(self, subject: str, body: bytes = b"") -> bool:
        """A refused publish makes an error before the answer to a ping comes back."""
        while not self._denials.empty():
            self._denials.get_nowait()
        await self.client.publish(subject, body, reply=f"{self.client.new_inbox()}")
        await barrier(self.client)
        return self._denials.empty()

    async def may_subscribe(self, subject: str) -> bool:
        while not self._denials.empty():
            self._denials.get_nowait()
        await self.client.subscribe(subject)
        await barrier(self.client)
        return self._denials.empty()


@asynccontextmanager
async def user(server: NatsServer, name: str) -> AsyncIterator[Caller]:
    caller = Caller()
    async with connected(server, name, caller.on_error) as client:
        caller.client = client
        yield caller


FORBIDDEN = [
    ("validator", subjects.event("default", "d1", "section-approved")),
    ("validator", subjects.job("validator", "validate-draft")),
    ("validator", subjects.bulk_job("validator", "validate-draft")),
    ("generation-graph", subjects.job("editor-agent", "revise-draft")),
    ("editor-agent", subjects.bulk_job("generation-graph", "generate-section")),
    ("validator", subjects.outcome("converter", "document-converted")),
    ("validator", subjects.dead("converter", "convert-document")),
    ("validator", "$JS.API.CONSUMER.MSG.NEXT.JOBS.converter"),
    ("validator", "$JS.API.CONSUMER.MSG.NEXT.JOBS.converter-bulk"),
    ("converter", "$JS.API.CONSUMER.MSG.NEXT.JOBS.generation-graph"),
    ("converter", "$JS.ACK.JOBS.editor-agent.1.1.1.1.0"),
    ("editor-agent", "$JS.API.CONSUMER.DURABLE.CREATE.JOBS.mine"),
    ("generation-graph", "$JS.API.CONSUMER.CREATE.JOBS.mine"),
    ("generation-graph", "$JS.API.STREAM.DELETE.JOBS"),
    ("validator", subjects.record("default", "d1", DIGEST)),
    ("converter", subjects.live("default", "d1", "s1")),
    ("validator", "$KV.capabilities.converter"),
    ("editor-agent", subjects.cancelled_job("default", "d1.1.generate.s1")),
    ("notifier", subjects.request("default", "approve-section")),
    ("notifier", subjects.request_of("default", "ada", "approve-section")),
    ("notifier", f"$KV.notifications.{subjects.rules_key('default', 'ada')}"),
    ("notifier", f"$JS.API.DIRECT.GET.ARTIFACTS.{subjects.artifact('default', 'd1', DIGEST)}"),
    ("notifier", "$JS.API.DIRECT.GET.KV_documents.$KV.documents.default.d1.s1"),
    ("notifier", "$JS.API.CONSUMER.CREATE.EVENTS.mine"),
    ("orchestrator", "$JS.API.STREAM.UPDATE.EVENTS"),
    ("orchestrator", "$JS.API.CONSUMER.DURABLE.CREATE.REQUESTS.orchestrator"),
    ("orchestrator", subjects.request("default", "create-document")),
    ("orchestrator", subjects.outcome("validator", "draft-validated")),
    (OWN, f"$KV.notifications.{subjects.rules_key('other', subjects.PROGRAMS)}"),
    (OWN, f"$KV.notifications.{subjects.rules_key('default', 'ada')}"),
    (OWN, "$JS.API.DIRECT.GET.KV_notifications.$KV.notifications.default.ada"),
    (OWN, f"$KV.viewed.{subjects.viewed_key('default', 'ada', 'd1')}"),
    (OWN, "$JS.API.DIRECT.GET.KV_viewed.$KV.viewed.default.ada.d1"),
    (OWN, subjects.request("other", "create-document")),
    (OWN, subjects.event("default", "d1", "section-approved")),
    (OWN, subjects.answer("default", "r1")),
    (OWN, subjects.cancelled_job("default", "d1.1.generate.s1")),
    (OWN, subjects.presence("default", "ada", "d1", "s1")),
    (OWN, subjects.artifact("default", "d1", DIGEST)),
    (OWN, "$JS.API.DIRECT.GET.EVENTS"),
    (OWN, "$JS.API.STREAM.MSG.GET.EVENTS"),
    (OWN, f"$JS.API.DIRECT.GET.ARTIFACTS.{subjects.artifact('other', 'd1', DIGEST)}"),
    (OWN, f"$JS.API.DIRECT.GET.ANSWERS.{subjects.answer('other', 'r1')}"),
    (OWN, "$JS.API.DIRECT.GET.KV_documents.$KV.documents.other.d1"),
    (OWN, "$JS.API.DIRECT.GET.OBJ_artifacts-other"),
    (OWN, f"$KV.capabilities.{subjects.GENERATION}"),
    (OWN, "$O.artifacts-default.C.x"),
    (OWN, "$O.uploads-other.C.x"),
    (OWN, "$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.mine"),
    (OWN, "$JS.API.STREAM.INFO.EVENTS"),
    (OWN, f"$JS.API.CONSUMER.MSG.NEXT.JOBS.{subjects.CONVERTER}"),
    (OWN, f"$JS.API.DIRECT.GET.EVENTS.{subjects.event('other', 'd1', ANY)}"),
    (OWN, f"$JS.API.CONSUMER.CREATE.JOBS.mine.{subjects.job('validator', REST)}"),
    *(
        (name, subject)
        for name in NO_OPERATORS
        for subject in (READ_DEAD, DROP_DEAD, subjects.dead(OPERATOR, "dropped"))
        if name != subjects.ORCHESTRATOR or subject == subjects.dead(OPERATOR, "dropped")
    ),
    *((name, "$JS.API.STREAM.MSG.DELETE.EVENTS") for name in (*subjects.WORKERS, subjects.NOTIFIER, OPERATOR, OWN)),
    ("orchestrator", "$JS.API.STREAM.PURGE.EVENTS"),
    (OPERATOR, subjects.event("default", "d1", "section-approved")),
    (OPERATOR, subjects.answer("default", "r1")),
    (OPERATOR, subjects.dead("validator", "validate-draft")),
    (OPERATOR, subjects.artifact("default", "d1", DIGEST)),
    (OPERATOR, f"$JS.API.DIRECT.GET.ARTIFACTS.{subjects.artifact('default', 'd1', DIGEST)}"),
    (OPERATOR, "$JS.API.STREAM.MSG.DELETE.EVENTS"),
    (OPERATOR, "$JS.API.STREAM.MSG.DELETE.JOBS"),
    (OPERATOR, "$JS.API.STREAM.PURGE.DEAD"),
    (OPERATOR, "$JS.API.STREAM.DELETE.DEAD"),
    (OPERATOR, "$JS.API.CONSUMER.CREATE.DEAD"),
    (OPERATOR, "$JS.API.CONSUMER.MSG.NEXT.JOBS.converter"),
]

ALLOWED = [
    ("validator", subjects.outcome("validator", "draft-validated")),
    ("validator", "$JS.API.CONSUMER.INFO.JOBS.validator"),
    ("generation-graph", "$JS.API.CONSUMER.MSG.NEXT.JOBS.generation-graph"),
    ("generation-graph", "$JS.API.CONSUMER.MSG.NEXT.JOBS.generation-graph-bulk"),
    ("generation-graph", subjects.job("generation-graph", "generate-section")),
    ("editor-agent", subjects.bulk_job("editor-agent", "revise-draft")),
    ("generation-graph", subjects.record("default", "d1", DIGEST)),
    ("generation-graph", subjects.live("default", "d1", "s1")),
    ("editor-agent", subjects.record("other", "d1", DIGEST)),
    ("converter", "$KV.capabilities.converter"),
    ("orchestrator", subjects.job("converter", "convert-document")),
    ("orchestrator", subjects.bulk_job("converter", "convert-document")),
    ("orchestrator", subjects.cancelled_job("default", "d1.1.generate.s1")),
    ("orchestrator", subjects.outcome("orchestrator", "job-dead")),
    ("orchestrator", "$JS.API.STREAM.MSG.DELETE.JOBS"),
    ("orchestrator", "$JS.API.DIRECT.GET.EVENTS"),
    ("orchestrator", f"$JS.API.CONSUMER.MSG.NEXT.EVENTS.{subjects.PROJECTOR}"),
    ("notifier", subjects.notice("default", "ada", "r1")),
    ("notifier", "$JS.API.DIRECT.GET.KV_documents.$KV.documents.default.d1"),
    (OWN, f"$KV.notifications.{subjects.rules_key('default', subjects.PROGRAMS)}"),
    (OWN, f"$KV.viewed.{subjects.viewed_key('default', subjects.PROGRAMS, 'd1')}"),
    (OWN, subjects.request("default", "create-document")),
    (OWN, f"$JS.API.DIRECT.GET.ANSWERS.{subjects.answer('default', 'r1')}"),
    (OWN, f"$JS.API.CONSUMER.CREATE.EVENTS.mine.{subjects.event('default', 'd1', REST)}"),
    (OWN, f"$JS.API.DIRECT.GET.KV_capabilities.$KV.capabilities.{subjects.GENERATION}"),
    (OTHER, subjects.request("other", "create-document")),
    (OPERATOR, READ_DEAD),
    (OPERATOR, DROP_DEAD),
    (OPERATOR, "$JS.API.STREAM.MSG.GET.EVENTS"),
    (OPERATOR, subjects.dead(OPERATOR, "dropped")),
    (OPERATOR, subjects.request("default", "create-document")),
    (OPERATOR, subjects.request_of("default", "ada", "create-document")),
    (OPERATOR, subjects.job("converter", "convert-document")),
    (OPERATOR, subjects.bulk_job("converter", "convert-document")),
    (OPERATOR, subjects.outcome("validator", "draft-validated")),
]

HEARD = [(OWN, subjects.event("default", "d1", ANY)), (OWN, subjects.live("default", "d1", ANY))]
DEAF = [
    ("validator", subjects.event(ANY, ANY, ANY)),
    ("validator", deliver_subject(subjects.REQUESTS, subjects.ORCHESTRATOR)),
    ("validator", "_INBOX_orchestrator.>"),
    ("orchestrator", "_INBOX.>"),
    (OWN, subjects.event("other", ANY, ANY)),
    (OWN, subjects.live(ANY, ANY, ANY)),
    (OWN, subjects.presence("default", ANY, ANY, ANY)),
    (OWN, "_INBOX_client-other.>"),
    (OWN, ">"),
    (OPERATOR, subjects.dead(ANY, ANY)),
    (OPERATOR, subjects.event(ANY, ANY, ANY)),
    (OPERATOR, "_INBOX_orchestrator.>"),
]


def of(name: str, lines: list[tuple[str, str]]) -> list[str]:
    return [subject for who, subject in lines if who == name]


@pytest.mark.req("E1", "E4")
@pytest.mark.parametrize("name", sorted({who for who, _ in (*FORBIDDEN, *ALLOWED, *DEAF)}))
async def test_a_user_may_what_it_may_and_nothing_else(nats_server: NatsServer, name: str) -> None:
    async with user(nats_server, name) as caller:
        assert [subject for subject in of(name, FORBIDDEN) if await caller.may_publish(subject)] == []
        assert [subject for subject in of(name, ALLOWED) if not await caller.may_publish(subject)] == []
        assert [subject for subject in of(name, DEAF) if await caller.may_subscribe(subject)] == []
        assert [subject for subject in of(name, HEARD) if not await caller.may_subscribe(subject)] == []


async def test_a_filter_in_the_body_cannot_widen_the_one_in_the_subject(nats_server: NatsServer) -> None:
    own, others = subjects.event("default", "d1", ANY), subjects.event("other", ANY, ANY)
    for filters in ({"filter_subject": others}, {"filter_subjects": [own, others]}):
        async with user(nats_server, OWN) as caller:
            refused = await _create_consumer(caller, own, filters)
            assert "error" in refused


async def _create_consumer(caller: Caller, in_subject: str, config: dict[str, Any]) -> dict[str, Any]:
    whole = {"name": "wide", "ack_policy": "none", "deliver_subject": caller.client.new_inbox(), **config}
    body = json.dumps({"stream_name": subjects.EVENTS, "config": whole}).encode()
    reply = await caller.client.request(f"$JS.API.CONSUMER.CREATE.EVENTS.wide.{in_subject}", body, timeout=10)
    return dict(json.loads(reply.data))


async def test_without_valid_credentials_nobody_is_let_in(nats_server: NatsServer) -> None:
    for name, password in ((OWN, "wrong"), ("nobody", "x"), (None, None)):
        with pytest.raises(NatsError):
            await nats.connect(
                nats_server.url, user=name, password=password, inbox_prefix=inbox_prefix("x"), allow_reconnect=False
            )
