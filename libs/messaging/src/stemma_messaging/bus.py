"""The bus as a service sees it: publish, subscribe to provisioned consumers, and know whether they are there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_telemetry import get_logger, names

from .cancellation import end
from .connection import Watch, connect_options
from .errors import BusFailed
from .handling import Handler, Handling
from .latest import LatestWorker
from .outages import Outages, is_outage, reason_of
from .publisher import Publisher
from .push import PushWorker
from .settings import ServiceSettings
from .slots import Slots, SlotWorker

API_TIMEOUT_S = 10.0
READY_TIMEOUT_S = 2.0
FIRST_TIMEOUT_S = 2.0
PAUSE_S = 0.5
CLOSE_TIMEOUT_S = 2
HANDSHAKE_WITHIN_S = 5.0
T = TypeVar("T")
LookUp = Callable[[JetStreamContext], Awaitable[ConsumerInfo]]


class Bus:
    """One service on the bus.

    Subscriptions are registered first (`subscribe_push`, `subscribe_pull`) and begin with `start`. Each binds to a
    durable consumer that was provisioned; none is ever made here. A handler gets a `Delivery`; that it returns
    acknowledges the message, what it raises is decided on in `stemma_messaging.verdict`.
    """

    def __init__(self, service: str, client: Client, settings: ServiceSettings, watch: Watch) -> None:
        self.service = service
        self.nats = client
        self.jetstream = client.jetstream(timeout=API_TIMEOUT_S)
        self.publisher = Publisher(self.jetstream, f"stemma/{service}")
        self._settings = settings
        self._watch = watch
        self._outages = Outages()
        self._capabilities: bytes | None = None
        self._bound: dict[str, LookUp] = {}
        self._starts: list[Callable[[], Awaitable[None]]] = []
        self._stops: list[Callable[[], Awaitable[None]]] = []

    async def publish_live(self, tenant: str, document_id: str, section_id: str, data: bytes) -> None:
        """Send generated tokens to whoever listens now; nothing is stored."""
        await self.nats.publish(subjects.live(tenant, document_id, section_id), data)

    async def cancel_job(self, tenant: str, job_id: str) -> None:
        """Tell whoever is at work on a job that nobody waits for it any more; nothing is stored."""
        await self.nats.publish(subjects.cancelled_job(tenant, job_id))

    def on_cancelled_job(self, cancel: Callable[[str], None]) -> None:
        """Hear the ids of jobs that nobody waits for any more, as long as the connection lasts."""

        async def hear(message: Msg) -> None:
            cancel(subjects.parse_cancelled_job(message.subject))

        async def begin() -> None:
            await self.nats.subscribe(subjects.cancelled_jobs(), cb=hear)

        self._starts.append(begin)

    async def publish_capabilities(self, capabilities: bytes) -> None:
        """Tell what this service can do, under its name; intake checks blueprints against it.

        It waits for a server that takes nothing.
        """
        self._capabilities = capabilities
        await _through_outages(lambda: self._put_capabilities(capabilities, API_TIMEOUT_S))

    async def _put_capabilities(self, capabilities: bytes, timeout_s: float) -> None:
        bucket = subjects.CAPABILITIES_BUCKET
        await self.jetstream.publish(
            f"$KV.{bucket}.{self.service}", capabilities, stream=f"KV_{bucket}", timeout=timeout_s
        )

    def subscribe_push(self, stream: str, durables: tuple[str, ...], handler: Handler) -> None:
        """For short handlers: the server delivers up to each consumer's ``max_ack_pending`` messages at a time."""
        self._register(stream, durables, lambda info: self._start_push(stream, durables, info, handler))

    def subscribe_push_by_tenant(self, stream: str, handler: Handler) -> None:
        """The same where each tenant has a consumer of its own, for those of tenants that come later, too.

        All deliver to one subject, and are otherwise alike.
        """

        async def begin() -> None:
            await self._start_push(stream, (), await self._provisioned(stream), handler)

        self._bound[stream] = partial(_one_consumer, stream)
        self._starts.append(begin)

    def subscribe_pull(self, stream: str, durables: tuple[str, ...], slots: int, handler: Handler) -> None:
        """For long work: at most ``slots`` messages at a time, of one consumer or of two.

        Those of the first go before those of the second, which leave it a quarter of the slots and always go on.
        """
        self._register(stream, durables, lambda info: self._start_pull(stream, durables, slots, info, handler))

    def subscribe_latest(
        self, stream: str, durable: str, key: Callable[[str], Hashable], rest_s: float, handler: Handler
    ) -> None:
        """For read models: of the messages that wait, the last of each ``key`` of a subject; it stands for the others.

        Rounds are ``rest_s`` seconds apart.
        """
        self._register(stream, (durable,), lambda info: self._start_latest(stream, durable, key, rest_s, info, handler))

    def _register(
        self, stream: str, durables: tuple[str, ...], start: Callable[[ConsumerInfo], Awaitable[None]]
    ) -> None:
        """The consumers differ in what they deliver, and are otherwise alike."""

        async def begin() -> None:
            infos = [await self._provisioned(f"{stream}/{durable}") for durable in durables]
            await start(infos[0])

        for durable in durables:
            self._bound[f"{stream}/{durable}"] = partial(_consumer, stream, durable)
        self._starts.append(begin)

    async def _provisioned(self, name: str) -> ConsumerInfo:
        try:
            return await self._bound[name](self.jetstream)
        except NotFoundError:
            raise BusFailed(f"{name} is not there: run stemma-provision of this release") from None

    async def until_answered(self) -> None:
        """Wait until the server answers a first call: one that reads its streams still is not one that is gone."""
        impatient = self.nats.jetstream(timeout=FIRST_TIMEOUT_S)
        with suppress(NatsError):
            await _through_outages(lambda: impatient.stream_info(f"KV_{subjects.CAPABILITIES_BUCKET}"))

    async def start(self) -> None:
        """Begin to receive; raises `BusFailed` if a consumer was not provisioned."""
        for start in self._starts:
            await start()

    async def _start_push(self, stream: str, durables: tuple[str, ...], info: ConsumerInfo, handler: Handler) -> None:
        worker = PushWorker(self.nats, stream, durables, info.config, self._handle(info, handler))
        await worker.start()
        self._stops.append(lambda: worker.stop(self._settings.shutdown_grace_s))

    async def _start_pull(
        self, stream: str, durables: tuple[str, ...], count: int, info: ConsumerInfo, handler: Handler
    ) -> None:
        slots = Slots(count)
        for lane, durable in enumerate(durables):
            handle = self._handle(info, slots.in_turn(handler, lane))
            self._pull(SlotWorker(self.nats, stream, durable, slots, lane, handle))

    def _pull(self, worker: SlotWorker) -> None:
        loop = asyncio.create_task(worker.run())
        loop.add_done_callback(self._on_loop_end)

        async def stop() -> None:
            await end([loop])
            await worker.stop(self._settings.shutdown_grace_s)

        self._stops.append(stop)

    async def _start_latest(
        self,
        stream: str,
        durable: str,
        key: Callable[[str], Hashable],
        rest_s: float,
        info: ConsumerInfo,
        handler: Handler,
    ) -> None:
        handle = self._handle(info, handler)
        worker = LatestWorker(self.jetstream, stream, durable, lambda message: key(message.subject), rest_s, handle)
        loop = asyncio.create_task(worker.run())
        loop.add_done_callback(self._on_loop_end)

        async def stop() -> None:
            await end([loop])

        self._stops.append(stop)

    def _on_loop_end(self, loop: asyncio.Task[None]) -> None:
        if not loop.cancelled():
            self._watch.fail(f"a pull loop ended: {type(loop.exception()).__name__}")

    def _handle(self, info: ConsumerInfo, handler: Handler) -> Callable[[Msg], Coroutine[Any, Any, None]]:
        handling = Handling(
            service=self.service,
            publisher=self.publisher,
            ack_wait_s=info.config.ack_wait or API_TIMEOUT_S,
            max_deliver=info.config.max_deliver or -1,
            retry_base_s=self._settings.retry_base_s,
            outages=self._outages,
        )

        async def handle(message: Msg) -> None:
            await handling.handle(message, handler)

        return handle

    async def missing(self) -> list[str]:
        """What hinders this service: consumers that are gone or do not answer, and stores that take no more."""
        found = await asyncio.gather(*map(self._is_there, self._bound.values()))
        gone = [name for name, there in zip(self._bound, found, strict=True) if not there]
        return [*gone, *(self._outages.told() or await self._refused())]

    async def _refused(self) -> list[str]:
        """Why the server takes no writes, if it does not: what was told before is told again."""
        if self._capabilities is None:
            return []
        try:
            await self._put_capabilities(self._capabilities, READY_TIMEOUT_S)
        except NatsError as error:
            get_logger().warning(names.Log.OUTAGE, reason=reason_of(error), error=error)
            return [f"writing: {reason_of(error)}"]
        return []

    async def _is_there(self, look_up: LookUp) -> bool:
        try:
            await look_up(self.nats.jetstream(timeout=READY_TIMEOUT_S))
        except NatsError:
            return False
        return True

    async def failure(self) -> BusFailed:
        """Wait until the process must end, and tell why."""
        return await asyncio.shield(self._watch.failure)

    async def stop(self) -> None:
        """Take no more messages and let work under way end, all subscriptions at the same time."""
        self._watch.expect_close()
        await asyncio.gather(*(stop() for stop in self._stops))


async def _through_outages(call: Callable[[], Awaitable[object]]) -> None:
    """Call again and again while the server does not answer or takes nothing; raises its other errors."""
    while True:
        try:
            await call()
        except NatsError as error:
            if not is_outage(error):
                raise
            get_logger().warning(names.Log.OUTAGE, reason=reason_of(error), error=error)
            await asyncio.sleep(PAUSE_S)
        else:
            return


async def _consumer(stream: str, durable: str, jetstream: JetStreamContext) -> ConsumerInfo:
    info: ConsumerInfo = await jetstream.consumer_info(stream, durable)
    return info


async def _one_consumer(stream: str, jetstream: JetStreamContext) -> ConsumerInfo:
    """Any consumer of a stream; raises `nats.js.errors.NotFoundError` where there is none."""
    for info in await jetstream.consumers_info(stream):
        return info
    raise NotFoundError(description=f"{stream} has no consumer")


@asynccontextmanager
async def open_bus(service: str, settings: ServiceSettings) -> AsyncIterator[Bus]:
    """A connected bus; it waits for the server. Raises `BusFailed` if the server refuses the credentials."""
    watch = Watch()
    connecting = asyncio.create_task(_connected(connect_options(settings, service, watch)))
    client = await _unless_failed(watch, connecting)
    bus = Bus(service, client, settings, watch)
    try:
        yield bus
    finally:
        watch.expect_close()
        await _close(client)


async def _connected(options: dict[str, Any]) -> Client:
    """A connection; nats-py does not come back from a handshake that failed, so that it is begun anew."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(HANDSHAKE_WITHIN_S if "tls" in options else None):
                return await nats.connect(**options)


async def _close(client: Client) -> None:
    """Send what is buffered, then close. Not ``drain``: it waits for status messages that a fetch left unmarked."""
    with suppress(NatsError, OSError):
        await client.flush(CLOSE_TIMEOUT_S)
    await client.close()


async def _unless_failed(watch: Watch, task: asyncio.Task[T]) -> T:
    try:
        waiting: set[asyncio.Future[Any]] = {task, watch.failure}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if watch.failure.done():
            raise watch.failure.result()
        return task.result()
    finally:
        task.cancel()
