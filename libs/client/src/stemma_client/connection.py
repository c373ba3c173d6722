"""A NATS connection that says at once when the server refuses something, and reads streams in order."""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from ssl import SSLError
from typing import Any, TypeVar, cast
from uuid import uuid4

from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.errors import (
    ConnectionClosedError,
    NoRespondersError,
    NoServersError,
    NotJSMessageError,
    SlowConsumerError,
)
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, Header, RawStreamMsg
from nats.js.client import DEFAULT_JS_SUB_PENDING_BYTES_LIMIT
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError, ServiceUnavailableError
from stemma_contracts.connections import servers_in

from .errors import (
    AccessDeniedError,
    CopyIncompleteError,
    NobodyAdmitsError,
    ServerUnreachableError,
    StemmaError,
    TenantFullError,
)
from .logins import Admittance, IdentityLogin, Login, credentials, is_refusal
from .settings import ServerAddress

CONNECT_TIMEOUT_S = 3.0
HANDSHAKE_WITHIN_S = 5.0
CALL_TIMEOUT_S = 10.0
SILENT_FOR_S = 12.0
LOOK_AGAIN_S = 30.0
"""How long nothing comes before it is looked whether a consumer stands still, as after a server was lost."""
RETRY_AFTER_S = 0.25
ADMITTED_WITHIN_S = 6.0
MOST_AHEAD = 8 * 1024 * 1024
"""Bytes that wait for who follows; what exceeds them is read again, once these are read."""

FULL = {
    "maximum consumers limit reached": "as many readers are open as a tenant may have (STEMMA_TENANT_CONSUMERS of "
    "the server); close some",
    "maximum messages exceeded": "as many bytes of uploads are kept as a tenant may have (STEMMA_TENANT_UPLOAD_BYTES "
    "of the server); each goes after seven days",
    "maximum account active connections exceeded": "as many connections are open as a tenant may have "
    "(STEMMA_TENANT_CONNECTIONS of the server); close some",
}
"""What the server says where a tenant has as much as it may have, and what we say."""
_REQUEST_OF_A_PERSON = re.compile(r"stemma\.request\.v2\.[^.]+\.[^.]+\.([a-z-]+)", re.IGNORECASE)
_HELPS = (".presence.", "$kv.viewed.")
"""What helps people and holds up nothing: an admission of an earlier release may not allow it."""

T = TypeVar("T")
Told = Callable[[str], None]


class Connection:
    """One NATS connection of one user of one tenant."""

    def __init__(self, address: ServerAddress, told: Told) -> None:
        self.address = address
        self._told = told
        self.nats = Nats()
        self.jetstream: JetStreamContext = self.nats.jetstream(timeout=CALL_TIMEOUT_S)
        self._asking: Nats | None = None
        self._one_at_a_time = asyncio.Lock()
        self._shut_out: str | None = None
        self._is_ended = False
        self._overrun: set[str] = set()
        self._last_error: Exception | None = None
        self._denial: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def call(self, call: Coroutine[Any, Any, T]) -> T:
        """Await a call to the server; raises `AccessDeniedError` as soon as the server refuses it."""
        task, denial = asyncio.create_task(call), self._denial
        try:
            waiting: set[asyncio.Future[Any]] = {task, denial}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise AccessDeniedError(self._taken(denial))
            return task.result()
        except APIError as error:
            if meant := self._meaning(error):
                raise meant from error
            raise
        except (NatsTimeoutError, ConnectionClosedError) as error:
            raise ServerUnreachableError.of("server_timeout", server=self.address.shown) from error
        except NoStreamResponseError as error:
            raise self._not_set_up() from error
        finally:
            task.cancel()

    async def each(self, items: AsyncIterator[T]) -> AsyncIterator[T]:
        """What comes of calls to the server, each awaited as by `call`."""

        async def following() -> tuple[T, ...]:
            async for item in items:
                return (item,)
            return ()

        while found := await self.call(following()):
            yield found[0]

    def _meaning(self, error: APIError) -> StemmaError | None:
        if full := FULL.get(error.description or ""):
            return TenantFullError(full)
        return self._not_set_up() if isinstance(error, (NotFoundError, ServiceUnavailableError)) else None

    def _not_set_up(self) -> ServerUnreachableError:
        return ServerUnreachableError(f"the server at {self.address.shown} is not set up for Stemma")

    def tell(self, line: str) -> None:
        """Tell whoever listens to this connection."""
        self._told(line)

    def _taken(self, denial: asyncio.Future[str]) -> str:
        """What a refusal says; which call it is about is not told, so all that wait then are refused."""
        if self._denial is denial:
            self._denial = asyncio.get_running_loop().create_future()
        return denial.result()

    async def _on_error(self, admittance: Admittance, error: Exception) -> None:
        if isinstance(error, SlowConsumerError):
            self._overrun.add(error.sub.subject)
            return
        if not (is_refusal(self._last_error) or _full(self._last_error)):
            self._last_error = error
        self._judge(admittance, error)
        violation = str(error).lower()
        if "permissions violation" not in violation or any(subject in violation for subject in _HELPS):
            return
        if not self._denial.done():
            self._denial.set_result(self._forbidden(str(error)))

    def _judge(self, admittance: Admittance, error: Exception) -> None:
        """Who was in and is refused again and again is out; who is refused for want of an answer waits."""
        waited = admittance.unanswered
        admittance.failed(error)
        if admittance.unanswered and not waited:
            self._told(f"nobody tells the server at {self.address.shown} in time whether to admit us; trying on")
        if admittance.is_over:
            self._shut_out = f"the server at {self.address.shown} does not admit {self.address.user} any more"
            if not self._denial.done():
                self._denial.set_result(self._shut_out)
            self._ending = asyncio.create_task(self.close())

    def _forbidden(self, violation: str) -> str:
        """What a person may not ask for is told by role and name; else it is in the server's words."""
        login, asked = self.address.login, _REQUEST_OF_A_PERSON.search(violation)
        if login and asked:
            return f"{login.person} may not {asked.group(1)}: {_role_of(login)} does not allow it"
        return f"user {self.address.user or '(none)'} may not do this: {violation}"

    async def _on_lost(self, connection: Nats, admittance: Admittance) -> None:
        admittance.begin()
        if connection is self.nats and not connection.is_closed:
            self._told(f"the server at {self.address.shown} is gone; waiting for it")

    async def _on_return(self, connection: Nats, admittance: Admittance) -> None:
        admittance.admitted()
        if connection is self.nats:
            self._told(f"the server at {self.address.shown} is back")

    async def open(self) -> None:
        """Connect; raises `ServerUnreachableError` or `AccessDeniedError`. Afterwards it reconnects for ever."""
        login = self.address.login
        seed = self.address.seed
        known = credentials(seed) if seed else _password_of(self.address)
        await self._open(self.nats, login.shown(asks=False) if login else known)

    async def asking(self) -> JetStreamContext:
        """Where requests and uploads are published: a person has a connection of its own for that.

        Raises `ServerUnreachableError` and `AccessDeniedError`.
        """
        connection = await self.asking_connection()
        return self.jetstream if connection is self.nats else connection.jetstream(timeout=CALL_TIMEOUT_S)

    async def asking_connection(self) -> Nats:
        """The connection of `asking`; raises as that does."""
        login = self.address.login
        if login is None:
            return self.nats
        async with self._one_at_a_time:
            if self._asking is None:
                connection = Nats()
                await self._open(connection, login.shown(asks=True))
                self._asking = connection
        return self._asking

    @property
    def reconnects(self) -> int:
        """How often the connections came back: the server may let the caller in with another role then."""
        return sum(each.stats["reconnects"] for each in filter(None, (self.nats, self._asking)))

    async def close(self) -> None:
        """Send what is buffered and end."""
        self._is_ended = True
        for connection in filter(None, (self._asking, self.nats)):
            await _closed(connection)

    async def _open(self, connection: Nats, who: Mapping[str, Any]) -> None:
        admittance, until = Admittance(), time.monotonic() + ADMITTED_WITHIN_S
        while True:
            try:
                await self._connect(connection, admittance, who)
            except NobodyAdmitsError:
                if time.monotonic() > until:
                    raise
            else:
                admittance.admitted()
                connection.options["max_reconnect_attempts"] = -1
                return

    async def _connect(self, connection: Nats, admittance: Admittance, who: Mapping[str, Any]) -> None:
        self._last_error = None
        admittance.begin()
        try:
            # nats-py does not come back from a handshake that failed.
            async with asyncio.timeout(HANDSHAKE_WITHIN_S if self.address.tls else None):
                await connection.connect(
                    servers_in(self.address.url),
                    **who,
                    **self.address.tls,
                    inbox_prefix=self.address.inbox,
                    error_cb=partial(self._on_error, admittance),
                    disconnected_cb=partial(self._on_lost, connection, admittance),
                    reconnected_cb=partial(self._on_return, connection, admittance),
                    connect_timeout=CONNECT_TIMEOUT_S,  # type: ignore[arg-type]  # nats-py passes it to wait_for
                    reconnect_time_wait=RETRY_AFTER_S,  # type: ignore[arg-type]
                    max_reconnect_attempts=1,
                )
        except (NatsError, OSError, ValueError) as error:
            raise self._connect_error(error, connection, admittance) from error

    def _connect_error(self, error: Exception, connection: Nats, admittance: Admittance) -> Exception:
        cause = self._last_error if isinstance(error, (NoServersError, TimeoutError)) and self._last_error else error
        if isinstance(cause, SSLError):
            words = cause.reason.lower().replace("_", " ") if cause.reason else "no handshake"
            return ServerUnreachableError(f"no encrypted connection with the server at {self.address.shown}: {words}")
        if full := _full(cause):
            return TenantFullError(full)
        if is_refusal(cause):
            return self._refused(admittance)
        return ServerUnreachableError.of("server_unreachable", server=self.address.shown)

    def _refused(self, admittance: Admittance) -> Exception:
        refused = f"the server at {self.address.shown} refuses user {self.address.user or '(none)'}"
        if admittance.unanswered:
            return NobodyAdmitsError(f"{refused} after waiting, as it does while nobody tells it whom to admit")
        return AccessDeniedError(refused)

    async def snapshot(
        self, stream: str, subject: str, *, latest: bool = False, at_least: int = 0, after: int = 0
    ) -> AsyncGenerator[Msg, None]:
        """What lies in a stream under a subject now, in order; ``latest``: the last message of each subject.

        With ``after`` only what lies behind that sequence.

        A consumer reads the tenant's copy of the stream, which follows it: all but ``latest`` wait for what the stream
        itself has already, and for the message at the sequence ``at_least``. Raises `CopyIncompleteError` if what the
        stream has does not come.
        """
        policy = DeliverPolicy.LAST_PER_SUBJECT if latest else DeliverPolicy.BY_START_SEQUENCE
        last = at_least if latest else max(at_least, await self.last_sequence(stream, subject))
        config = throw_away_consumer(subject, deliver_policy=policy, opt_start_seq=None if latest else after + 1)
        async with self._consuming(stream, config) as (subscription, stored):
            heartbeats, pending, seen, came = Heartbeats(subscription), stored, after, 0
            while pending or seen < last:
                before = heartbeats.number
                try:
                    message = await self.call(subscription.next_msg(timeout=CALL_TIMEOUT_S))
                except ServerUnreachableError:
                    if heartbeats.number > before and heartbeats.delivered <= came:
                        await self._raise_if_more(stream, subject, seen)
                        if seen >= last:
                            return
                    raise
                if is_from(message, stream, config):
                    pending, seen = message.metadata.num_pending, message.metadata.sequence.stream
                    came = message.metadata.sequence.consumer
                    yield message

    async def _raise_if_more(self, stream: str, subject: str, seen: int) -> None:
        """Tell that a copy whose consumer lives, and has no more to deliver, lacks what the stream has behind it."""
        if (last := await self.last_sequence(stream, subject)) > seen:
            raise CopyIncompleteError(subject, seen + 1, last) from None

    async def subjects_in(self, stream: str, pattern: str) -> list[str]:
        """The subjects of what lies in a stream, without it; the server tells them page by page."""
        found: list[str] = []
        while True:
            told = await self.call(self._told_of(stream, {"subjects_filter": pattern, "offset": len(found)}))
            page = told["state"].get("subjects") or {}
            found += page
            if not page or len(found) >= told.get("total", 0):
                return found

    async def _told_of(self, stream: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What the server tells of a stream; nats-py asks for the first page only."""
        api = f"$JS.API.STREAM.INFO.{stream}"
        try:
            answer = await self.nats.request(api, json.dumps(asked).encode(), timeout=CALL_TIMEOUT_S)
        except NoRespondersError as error:
            raise ServiceUnavailableError from error
        told: dict[str, Any] = json.loads(answer.data)
        if "error" in told:
            APIError.from_error(told["error"])
        return told

    async def last_sequence(self, stream: str, subject: str) -> int:
        """Where the last message under a subject lies in the stream itself; 0 if there is none."""
        last = await self.last_message(stream, subject)
        return last.seq or 0 if last else 0

    async def last_message(self, stream: str, subject: str) -> RawStreamMsg | None:
        """The last message under a subject in the stream itself, whatever the tenant's copy of it has."""
        try:
            return await self.call(self.jetstream.get_last_msg(stream, subject, direct=True))
        except ServerUnreachableError as error:
            if isinstance(error.__cause__, NotFoundError):
                return None
            raise

    async def follow(self, stream: str, subject: str, from_sequence: int = 0) -> AsyncGenerator[Msg, None]:
        """What lies in a stream under a subject and what comes, in order, each message once, without end.

        A server that restarts interrupts nothing: reading goes on behind the last message seen. Raises as
        `raise_if_lost` does, and ends once `close` was called.
        """
        async with aclosing(self.follow_and_rest(stream, subject, from_sequence)) as messages:
            async for message in messages:
                if message is not None:
                    yield message

    async def follow_and_rest(
        self, stream: str, subject: str, from_sequence: int = 0
    ) -> AsyncGenerator[Msg | None, None]:
        """The same, and `None` where nothing more is there though the last message told that something was.

        What a message tells of those behind it can be wrong: a server of several, that has just taken over, may count
        one too many.
        """
        position, opened = max(from_sequence, 1), False
        while not self.nats.is_closed:
            config = throw_away_consumer(
                subject, deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=position
            )
            try:
                async with (
                    self._consuming(stream, config, MOST_AHEAD) as (subscription, _),
                    aclosing(self._until_broken(subscription, stream, config, position)) as messages,
                ):
                    opened = True
                    async for message in messages:
                        if message is not None:
                            position = message.metadata.sequence.stream + 1
                        yield message
            except (NatsError, ServerUnreachableError):
                if not opened:
                    raise
                await asyncio.sleep(RETRY_AFTER_S)
        self.raise_if_lost()

    def raise_if_lost(self) -> None:
        """Raises `AccessDeniedError` if who was admitted is so no more, and `ServerUnreachableError` if nobody here
        ended the connection.
        """
        if self._shut_out:
            raise AccessDeniedError(self._shut_out)
        if self.nats.is_closed and not self._is_ended:
            error = self.nats.last_error
            raise ServerUnreachableError(f"the server at {self.address.shown} ended the connection: {error}")

    async def _until_broken(
        self, subscription: JetStreamContext.PushSubscription, stream: str, config: ConsumerConfig, position: int
    ) -> AsyncGenerator[Msg | None, None]:
        """Messages until one is missing, the connection was lost, or the consumer has fallen silent or stands still.

        `None` where the stream has no more after a moment of silence, though the last message may have told so.

        One may be missing because too many were waiting, or was lost between two servers, also behind all those that
        were read.

        It is on one server, of several perhaps, and sends heartbeats: without them it is gone, as its server may be.
        Who waits for the server to tell what it has would notice that late: it is asked at first, and after heartbeats.
        """
        expected, silence, quiet, reconnects = 1, 0.0, 0.0, self.nats.stats["reconnects"]
        heartbeats = Heartbeats(subscription)
        more = True
        while silence < SILENT_FOR_S and self.nats.stats["reconnects"] == reconnects:
            _raise_if_cancelled()
            try:
                message = await subscription.next_msg(timeout=1)
            except NatsTimeoutError:
                if config.deliver_subject in self._overrun or heartbeats.delivered >= expected:
                    return
                silence, quiet = 0.0 if heartbeats.came() else silence + 1, quiet + 1
                if more and silence <= 1 and await self._has_more(stream, config, position) is False:
                    more = False
                    yield None
                if quiet >= LOOK_AGAIN_S:
                    quiet = 0.0
                    if await self._has_more(stream, config, position):
                        return
                continue
            if not is_from(message, stream, config):
                continue
            if message.metadata.sequence.consumer != expected:
                return
            expected, silence, quiet = expected + 1, 0.0, 0.0
            position = message.metadata.sequence.stream + 1
            more = bool(message.metadata.num_pending)
            yield message

    async def _has_more(self, stream: str, config: ConsumerConfig, position: int) -> bool | None:
        """Whether something lies at a position or behind it that a consumer, which lives, has not delivered.

        `None` if the server does not tell.
        """
        with suppress(ServerUnreachableError):
            return await self.last_sequence(stream, str(config.filter_subject)) >= position
        return None

    @asynccontextmanager
    async def _consuming(
        self, stream: str, config: ConsumerConfig, most_ahead: int = DEFAULT_JS_SUB_PENDING_BYTES_LIMIT
    ) -> AsyncIterator[tuple[JetStreamContext.PushSubscription, int]]:
        config.deliver_subject = inbox = self.nats.new_inbox()
        info = await self.call(self.jetstream.add_consumer(stream, config=config))
        bound = self.jetstream.subscribe_bind(
            stream=stream, config=config, consumer=info.name, pending_bytes_limit=most_ahead
        )
        subscription = await self.call(bound)
        try:
            yield subscription, info.num_pending or 0
        finally:
            self._overrun.discard(inbox)
            with suppress(NatsError):
                await subscription.unsubscribe()
                await self.nats.publish(f"$JS.API.CONSUMER.DELETE.{stream}.{info.name}")


async def _closed(connection: Nats) -> None:
    """Close a connection, also one that broke with something still to send, at which nats-py stops half way.

    Of one that is being renewed nats-py cancels what it waits for itself: nobody cancelled the caller.
    """
    try:
        await connection.close()
    except ConnectionError:
        connection._status = Nats.DISCONNECTED  # noqa: SLF001
        await connection.close()
    except asyncio.CancelledError:
        _raise_if_cancelled()


def _password_of(address: ServerAddress) -> Mapping[str, Any]:
    return {"user": address.user, "password": address.password, "name": "stemma-client"}


def _role_of(login: Login | IdentityLogin) -> str:
    return f"the role {login.role}" if login.role else "their role"


def _full(error: Exception | None) -> str | None:
    """What we say of a connection that the server refuses because the tenant has enough."""
    return FULL.get(str(error).removeprefix("nats: ").strip("'"))


def _raise_if_cancelled() -> None:
    """A cancellation that meets a message is swallowed by nats-py's ``wait_for``, before Python 3.12."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


@asynccontextmanager
async def connect(address: ServerAddress, told: Told) -> AsyncIterator[Connection]:
    """An open connection; closed, with all that is sent flushed, at the end. ``told`` hears of a lost server."""
    connection = Connection(address, told)
    await connection.open()
    try:
        yield connection
    finally:
        await connection.close()


HEARTBEAT_S = 5.0
INACTIVE_FOR_S = 30.0


def throw_away_consumer(subject: str, **start: Any) -> ConsumerConfig:
    """It has a name because only then its filter is part of the API subject."""
    return ConsumerConfig(
        name=f"client-{uuid4().hex}",
        filter_subject=subject,
        ack_policy=AckPolicy.NONE,
        max_deliver=1,
        flow_control=True,
        idle_heartbeat=HEARTBEAT_S,
        inactive_threshold=INACTIVE_FOR_S,
        mem_storage=True,
        num_replicas=1,
        **start,
    )


def is_from(message: Msg, stream: str, config: ConsumerConfig) -> bool:
    """Whether our consumer delivered a message; all users of a tenant share its account, and could send one here."""
    try:
        return (message.metadata.stream, message.metadata.consumer) == (stream, config.name)
    except NotJSMessageError:
        return False


class Heartbeats:
    """What is heard of the consumer of a subscription: the ``number`` of its heartbeats.

    ``delivered`` counts its messages by the last of them.
    """

    def __init__(self, subscription: JetStreamContext.PushSubscription) -> None:
        self.number = self.delivered = 0
        self._noted = cast("Any", subscription._sub._jsi)  # noqa: SLF001
        self._noted.check_for_sequence_mismatch = self._hear

    def came(self) -> bool:
        """Whether anything came since the last look."""
        heard, self._noted._active = bool(self._noted._active), False  # noqa: SLF001
        return heard

    async def _hear(self, heartbeat: Msg) -> None:
        self.number += 1
        self.delivered = int((heartbeat.headers or {}).get(Header.LAST_CONSUMER, 0))
