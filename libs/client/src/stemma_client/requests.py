"""Publishing a request event and reading its answer, and which requests the server lets a caller make."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import PubAck, RawStreamMsg
from nats.js.errors import APIError
from stemma_contracts import MAX_REQUEST_BYTES, envelope_for, registry, subjects, v1
from stemma_contracts.misfits import longest_field
from stemma_contracts.v1.answers import Answer, RequestAccepted, RequestRejected

from .connection import CALL_TIMEOUT_S, Connection
from .errors import (
    AccessDeniedError,
    AnswerTimeoutError,
    RequestRejectedError,
    RequestTooLargeError,
    ServerUnreachableError,
    StemmaError,
    TooManyRequestsError,
)

if TYPE_CHECKING:
    from stemma_contracts.v1.requests import Request

AT_HAND_S = 2.0
"""How long the answer to a request that was stored before is waited for, before it is stored again."""
LOOK_AGAIN_S = 10.0
"""How often an answer that does not come is looked for where it was stored."""
_FULL = "maximum messages per subject exceeded"

R = TypeVar("R", bound="Request")


@dataclass(frozen=True)
class EncodedRequest:
    """A request as it goes on the wire; the digest is the SHA-256 of the body in hex."""

    request_id: str
    body: bytes
    digest: str


def with_request_id(request: R, key: str = "") -> R:
    """The request with an id: its own, one that follows from a ``key`` and what is asked, or a new random one."""
    if request.request_id:
        return request
    derived = hashlib.sha256(f"{key}\n".encode() + registry.encode(request)).hexdigest()[:32]
    return request.model_copy(update={"request_id": derived if key else uuid4().hex})


def encode(request: Request) -> EncodedRequest:
    """The body of a request that has an id; raises `RequestTooLargeError`, naming the longest field."""
    body = registry.encode(request)
    if len(body) > MAX_REQUEST_BYTES:
        field, size = longest_field(request.model_dump(mode="json"))
        sizes = {"size": size, "request_size": len(body), "max_size": MAX_REQUEST_BYTES}
        raise RequestTooLargeError.of("request_too_large", longest_field=field, **sizes)
    return EncodedRequest(str(request.request_id), body, hashlib.sha256(body).hexdigest())


async def publish(connection: Connection, request: Request, encoded: EncodedRequest, *, copy: str = "") -> bool:
    """Store a request; the same body under the same id is dropped, and false given, unless it is another ``copy``.

    Raises `TooManyRequestsError`.
    """
    entry = registry.entry_of(request)
    tenant = connection.address.tenant
    message_id = f"{tenant}.{encoded.request_id}.{encoded.digest}"
    envelope = envelope_for(
        entry,
        id=message_id,
        source=subjects.CALLERS,
        subject=f"{tenant}/{request.document_id}" if isinstance(request, v1.requests.DocumentRequest) else tenant,
        time=datetime.now(UTC),
        correlation_id=encoded.request_id,
    )
    headers = envelope.headers() | {"Nats-Msg-Id": f"{message_id}.{copy}" if copy else message_id}
    login = connection.address.login
    subject = subjects.request_of(tenant, login.person, entry.token) if login else subjects.request(tenant, entry.token)
    stored = await connection.call(_stored(await connection.asking(), subject, encoded.body, headers))
    return not stored.duplicate


async def _stored(jetstream: JetStreamContext, subject: str, body: bytes, headers: dict[str, str]) -> PubAck:
    try:
        return await jetstream.publish(subject, body, headers=headers, stream=subjects.REQUESTS)
    except APIError as refused:
        if refused.description != _FULL:
            raise
        raise TooManyRequestsError.of("tenant_queue_full") from None


async def answered(connection: Connection, request: Request, encoded: EncodedRequest, wait_s: float) -> RequestAccepted:
    """Store a request and read its answer; raises as `read_answer` does.

    One that was stored before, and has no answer at hand, is stored once more: what became of the other cannot be
    seen from here, and it is answered once however often it is stored.
    """
    read = partial(read_answer, connection, encoded.request_id, digest=encoded.digest, stored=True)
    if not await publish(connection, request, encoded):
        try:
            return await read(wait_s=min(wait_s, AT_HAND_S))
        except AnswerTimeoutError:
            await publish(connection, request, encoded, copy=uuid4().hex)
    return await read(wait_s=wait_s)


async def read_answer(
    connection: Connection, request_id: str, *, digest: str | None, wait_s: float, stored: bool = False
) -> RequestAccepted:
    """The first answer to a request id, or to exactly the body with this digest.

    Raises `RequestRejectedError` for a rejection, `AnswerTimeoutError` when none came in time, which says whether the
    request is known to be ``stored``, and `ServerUnreachableError` if the connection was closed meanwhile.
    """
    try:
        async with asyncio.timeout(wait_s):
            answer = await _first_answer(connection, request_id, digest)
    except TimeoutError:
        raise AnswerTimeoutError(request_id, wait_s, stored=stored) from None
    if isinstance(answer, RequestRejected):
        raise RequestRejectedError(answer)
    assert isinstance(answer, RequestAccepted)
    return answer


async def _first_answer(connection: Connection, request_id: str, digest: str | None) -> Answer:
    """The first answer that fits; from time to time it is looked for where it was stored.

    The tenant's copy of the answers, which is followed, may lack one for good after servers of a cluster were lost.
    """
    subject = subjects.answer(connection.address.tenant, request_id)
    following = asyncio.create_task(_followed_answer(connection, subject, request_id, digest))
    try:
        while not (await asyncio.wait({following}, timeout=LOOK_AGAIN_S))[0]:
            if answer := await _stored_answer(connection, subject, digest):
                return answer
        return following.result()
    finally:
        following.cancel()
        await asyncio.wait({following})


async def _stored_answer(connection: Connection, subject: str, digest: str | None) -> Answer | None:
    """The last answer where it was stored, if it fits; while no server can be reached, nothing is known."""
    with suppress(ServerUnreachableError):
        if last := await connection.last_message(subjects.ANSWERS, subject):
            return _fitting(last, digest)
    return None


async def _followed_answer(connection: Connection, subject: str, request_id: str, digest: str | None) -> Answer:
    async with aclosing(connection.follow(subjects.ANSWERS, subject)) as messages:
        async for message in messages:
            if answer := _fitting(message, digest):
                return answer
    words = f"the connection was closed before an answer to request {request_id} came"
    raise ServerUnreachableError(f"{words}; sent again with this id, it is done once")


def _fitting(message: Msg | RawStreamMsg, digest: str | None) -> Answer | None:
    answer = _answer_in(message)
    return answer if answer is not None and digest in (None, answer.request_digest) else None


def _answer_in(message: Msg | RawStreamMsg) -> Answer | None:
    try:
        answer = registry.decode((message.headers or {}).get("ce-type", ""), message.data or b"")
    except ValueError:
        return None
    return answer if isinstance(answer, Answer) else None


USER_INFO = "$SYS.REQ.USER.INFO"
PATIENCE_S = 2.0
AGAIN_AFTER_S = 60.0
"""How long a server that did not answer is not asked again."""


class Rights:
    """Those of one caller, as the server tells them; before that, those of the role."""

    def __init__(self, connection: Connection) -> None:
        login = connection.address.login
        self._connection = connection
        pattern = subjects.request_of(login.tenant, login.person, subjects.ANY) if login else ""
        self._prefix = pattern.removesuffix(subjects.ANY)
        self._role = login.role if login else ""
        self._names: frozenset[str] | None = None
        self._learned_at: int | None = None
        self._not_before = 0.0

    @property
    def names(self) -> frozenset[str]:
        """The names of the requests that the caller may make."""
        # The roles name every request, and most verbs make none.
        from stemma_contracts.roles import may_ask

        return may_ask(self._role) if self._names is None else self._names

    async def learn(self) -> None:
        """Ask the server, once for each time that it let the caller in.

        Who types in a password knows no role, a token may name an old one, and who comes back may have another.
        """
        admission = self._connection.reconnects
        is_known = self._connection.address.login is None or self._learned_at == admission
        if is_known or time.monotonic() < self._not_before:
            return
        try:
            async with asyncio.timeout(PATIENCE_S):
                self._names = await self._told()
            self._learned_at = admission
        except AccessDeniedError:
            self._names, self._learned_at = None, admission  # A server whose configuration is older tells nobody.
        except (TimeoutError, NatsError, StemmaError, ValueError, LookupError, TypeError):
            self._names, self._not_before = None, time.monotonic() + AGAIN_AFTER_S

    def check(self, request: Request) -> None:
        """Raise `AccessDeniedError` for a request that the server would refuse, as far as it told that."""
        name = registry.entry_of(request).token
        if self._names is not None and name not in self._names:
            raise AccessDeniedError.of("role_forbids", request=name)

    async def _told(self) -> frozenset[str]:
        asking = await self._connection.asking_connection()
        told = await self._connection.call(asking.request(USER_INFO, b"", timeout=CALL_TIMEOUT_S))
        allowed = json.loads(told.data)["data"]["permissions"]["publish"]["allow"]
        return frozenset(each.removeprefix(self._prefix) for each in allowed if each.startswith(self._prefix))
