"""The broker of a service: FastStream's, bound to what was provisioned."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsRouter
from faststream.nats.subscriber.usecases.stream_basic import StreamSubscriber
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, Header
from nats.js.errors import APIError, NotFoundError
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.connections import without_credentials
from stemma_contracts.envelope import AT
from stemma_contracts.v1.outcomes import JobCancelled, JobDead
from stemma_telemetry import get_logger, names

from .connection import ConnectionMonitor, close, connected
from .delivery import Terms, parse
from .drivers import API_TIMEOUT_S, Driver, Link, LookUp, PullDriver, PushDriver, Stop
from .errors import BusFailed
from .feeding import Feed, adopt, of_stream, results_of, taken_by
from .middlewares import CallingOff, Chain, Middleware, Outcomes, Settlement, heartbeat, in_turn, telemetry
from .outages import Patience, is_outage, measure, reason_of
from .publisher import Publisher
from .running import RunningJobs
from .settings import ServiceSettings, WorkerSettings
from .turns import LaneTurns

TOLD_AT, RELEASE, CONTRACTS = "ce-time", "stemma-release", "stemma-contracts"
"""What a service tells of itself beside its capabilities: its time, and the versions that it runs."""
OWN_RELEASE, OWN_CONTRACTS = version("stemma-messaging"), version("stemma-contracts")
READY_TIMEOUT_S = 2.0
FIRST_TIMEOUT_S = 2.0
PAUSE_S = 0.5
_CONFLICTS = (10071, 10164)
NO_RESPONDERS = "503"
ANSWER_S = 1
"""How long the server may take to say that nobody listens."""


def job_routes(*handlers: Callable[[Any], Awaitable[Any]]) -> NatsRouter:
    """A router with handlers of jobs, each on both lanes of the job that it is annotated with."""
    router, jobs = NatsRouter(ack_policy=AckPolicy.MANUAL), JStream(subjects.JOBS, declare=False)
    for handler in handlers:
        entry = registry.entry_of(taken_by(handler))
        called: Any = handler
        for lane in (subjects.job, subjects.bulk_job):
            called = router.subscriber(lane(entry.service or "", entry.token), stream=jobs)(called)
    return router


class StemmaBroker(NatsBroker):
    """FastStream's broker, with our drivers and middlewares.

    Handlers are registered on a `NatsRouter` and included. They are fed by ``drivers``, one for each stream, from
    durable consumers that were provisioned; nothing is ever made here. The middlewares settle what came of a message.
    """

    def __init__(
        self, service: str, settings: ServiceSettings, *drivers: Driver, within: tuple[Middleware, ...] = ()
    ) -> None:
        self.service = service
        self._settings = settings
        self._drivers = drivers
        self._patience = Patience(settings.retry_base_s)
        self._capabilities: bytes | None = None
        self._capabilities_sequence = 0
        self._stops: list[Stop] = []
        self._adopted: list[StreamSubscriber] = []
        settlement = Settlement(service, lambda: self.sender, self._patience)
        super().__init__(
            without_credentials(settings.nats_url),
            apply_types=False,
            logger=None,
            parser=parse,
            ack_policy=AckPolicy.MANUAL,
            js_options={"timeout": API_TIMEOUT_S},
            middlewares=(Chain(telemetry, heartbeat, settlement, in_turn, *within),),
        )

    def include_router(self, router: Any, **options: Any) -> None:
        """Make the handlers of a router handlers of this service; raises `TypeError` for what cannot be one."""
        if router.subscribers and router.publishers:
            raise TypeError(f"{self.service} publishes what handlers return: take publishers away from their router")
        super().include_router(router, **options)
        for subscriber in router.subscribers:
            own = adopt(subscriber, self._adopted)
            self._adopted.append(own)
            self._results(set(results_of(own)))

    def _results(self, results: set[type[Contract]]) -> None:
        if results:
            raise TypeError(f"{self.service} is no worker: nobody publishes what a handler returns")

    def declare_outcomes(self, *outcomes: type[Contract]) -> None:
        """Name outcomes of this service in its AsyncAPI, also those that no handler returns.

        FastStream does not publish them: our middlewares do, before they settle.
        """
        for contract in outcomes:
            subject = subjects.outcome(self.service, registry.entry_of(contract).token)
            self.publisher(subject, stream=JStream(subjects.OUTCOMES, declare=False), schema=contract)

    @property
    def nats(self) -> Client:
        """The connection; there is none before `connected`."""
        connection: Client = self.config.connection_state.connection
        return connection

    @property
    def jetstream(self) -> JetStreamContext:
        """JetStream on this connection."""
        jetstream: JetStreamContext = self.config.connection_state.stream
        return jetstream

    @property
    def sender(self) -> Publisher:
        """Publishes contracts in the name of this service."""
        return Publisher(self.jetstream, self.service)

    async def publish_live(self, tenant: str, document_id: str, section_id: str, data: bytes, at: int = 0) -> bool:
        """Send generated tokens to whoever listens now; nothing is stored.

        Without tokens it only asks the server whether somebody listens; `False` if nobody does. ``at`` is how many
        characters of the text came before them.
        """
        subject, headers = subjects.live(tenant, document_id, section_id), {AT: str(at)}
        if data:
            await self.nats.publish(subject, data, headers=headers)
            return True
        try:
            return await self._is_followed(subject, headers)
        except NatsError:  # of a server that does not answer nobody knows, and the text is not worth the wait
            return False

    async def _is_followed(self, subject: str, headers: dict[str, str]) -> bool:
        """Whether somebody listens, by an empty piece: the server answers at once if nobody does."""
        answers = await self.nats.subscribe(inbox := self.nats.new_inbox())
        try:
            await self.nats.publish(subject, reply=inbox, headers=headers)
            # The first ping goes ahead of what is still buffered; the second is answered behind the server's word.
            await self.nats.flush(ANSWER_S)
            await self.nats.flush(ANSWER_S)
            while answers.pending_msgs:
                # Who listens sees the reply subject too: only the server's word counts.
                if ((await answers.next_msg()).headers or {}).get(Header.STATUS) == NO_RESPONDERS:
                    return False
        finally:
            await answers.unsubscribe()
        return True

    async def cancel_job(self, tenant: str, job_id: str) -> None:
        """Tell whoever is at work on a job that nobody waits for it any more; nothing is stored."""
        await self.nats.publish(subjects.cancelled_job(tenant, job_id))

    async def publish_capabilities(self, capabilities: Mapping[str, Any]) -> None:
        """Tell what this service can do, under its name; intake checks blueprints against it.

        It waits for a server that takes nothing.
        """
        told = self._capabilities = json.dumps(dict(capabilities), sort_keys=True).encode()
        await _through_outages(lambda: self._put_capabilities(told, API_TIMEOUT_S))

    async def _put_capabilities(self, capabilities: bytes, timeout_s: float, **headers: str) -> None:
        bucket = subjects.CAPABILITIES_BUCKET
        told = {TOLD_AT: datetime.now(UTC).isoformat(), RELEASE: OWN_RELEASE, CONTRACTS: OWN_CONTRACTS}
        ack = await self.jetstream.publish(
            f"$KV.{bucket}.{self.service}", capabilities, timeout_s, f"KV_{bucket}", {**told, **headers}
        )
        self._capabilities_sequence = ack.seq

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Connected in this block, once the server is there and answers; raises `BusFailed` if it refuses us.

        The last that the lifespan of an application leaves: what it opened may need the connection until its end.
        """
        await self.connect()
        try:
            await self._until_answered()
            yield
        finally:
            self._monitor.expect_close()
            await close(self.nats)
            self.config.disconnect()
            self._connection = None

    async def _connect(self) -> Client:
        """Ours in place of FastStream's, which gives up, and prints what the server says."""
        self._monitor = ConnectionMonitor()
        client = await connected(self._settings, self.service, self._monitor)
        self.config.connect(client)
        return client

    async def _until_answered(self) -> None:
        """A server that reads its streams still is not one that is gone."""
        impatient = self.nats.jetstream(timeout=FIRST_TIMEOUT_S)
        with suppress(NatsError):
            await _through_outages(lambda: impatient.stream_info(f"KV_{subjects.CAPABILITIES_BUCKET}"))

    async def start(self) -> None:
        """Begin to receive; raises `BusFailed` if a consumer was not provisioned, `TypeError` for a handler that no
        driver feeds.

        In place of FastStream's, which would make streams and consumers.
        """
        self._refuse_unfed()
        for driver in self._drivers:
            infos = [await self._provisioned(name, look_up) for name, look_up in driver.bound().items()]
            self._stops.append(await self._begin(driver, infos[0]))
        self.running = True

    def _refuse_unfed(self) -> None:
        fed = {driver.stream for driver in self._drivers}
        for subscriber in self.subscribers:
            if subscriber not in self._adopted:
                raise TypeError(f"{subscriber.calls.name}: handlers stand on a NatsRouter, which include_router takes")
            if subscriber.stream.name not in fed:
                raise TypeError(f"{subscriber.calls.name}: no driver brings messages of {subscriber.stream.name}")

    async def _provisioned(self, name: str, look_up: LookUp) -> ConsumerInfo:
        try:
            return await look_up(self.jetstream)
        except NotFoundError:
            raise BusFailed(f"{name} is not there: run stemma-provision of this release") from None

    async def _begin(self, driver: Driver, info: ConsumerInfo) -> Stop:
        feed = Feed(driver.stream, of_stream(self.subscribers, driver.stream), Terms.of(info.config))
        return await driver.begin(Link(self.nats, self._monitor.fail), info.config, feed.handle)

    async def stop(self, *_: object) -> None:
        """Take no more messages and let work under way end, of all drivers at the same time; the connection stays."""
        self._monitor.expect_close()
        stops, self._stops = self._stops, []
        await asyncio.gather(*(stop(self._settings.shutdown_grace_s) for stop in stops))
        self.running = False

    async def failure(self) -> BusFailed:
        """Wait until the process must end, and tell why."""
        return await asyncio.shield(self._monitor.failure)

    async def missing(self) -> list[str]:
        """What hinders this service: consumers that are gone or do not answer, and stores that take no more."""
        bound: Mapping[str, LookUp] = {name: look for driver in self._drivers for name, look in driver.bound().items()}
        found = await asyncio.gather(*map(self._is_there, bound.values()))
        gone = [name for name, there in zip(bound, found, strict=True) if not there]
        waited_for = self._patience.outages.told() or await self._refused()
        measure(away=not self.nats.is_connected, consumers=len(gone), writing=len(waited_for))
        return [*gone, *waited_for]

    async def observe_for_ever(self, every_s: float) -> None:
        """Measure what hinders this service, every so many seconds, until cancelled."""
        while True:
            try:
                await self.missing()
            except Exception as error:
                get_logger().warning(names.Log.OBSERVING_FAILED, error=error, reason=reason_of(error))
            await asyncio.sleep(every_s)

    async def _refused(self) -> list[str]:
        """Why the server takes no writes, if it does not: what was told before is told again.

        Not over what another process told since, which may be of a newer release; that one sees whether it can write.
        """
        if self._capabilities is None:
            return []
        as_told = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(self._capabilities_sequence)}
        try:
            await self._put_capabilities(self._capabilities, READY_TIMEOUT_S, **as_told)
        except NatsError as error:
            if isinstance(error, APIError) and error.err_code in _CONFLICTS:
                return []
            get_logger().warning(names.Log.OUTAGE, reason=reason_of(error), error=error)
            return [f"writing: {reason_of(error)}"]
        return []

    async def _is_there(self, look_up: LookUp) -> bool:
        try:
            await look_up(self.nats.jetstream(timeout=READY_TIMEOUT_S))
        except NatsError:
            return False
        return True


class WorkerBroker(StemmaBroker):
    """The broker of a worker: jobs in, outcomes out; pulled into slots, or pushed in turn if its handlers are short.

    What a handler returns is published before the job is acknowledged, and a job is ended that nobody waits for.
    """

    def __init__(self, service: str, settings: WorkerSettings, *, jobs: Literal["pulled", "pushed"] = "pulled") -> None:
        self._running = RunningJobs()
        lanes = tuple(subjects.job_consumers(service))
        pull = PullDriver(subjects.JOBS, lanes, settings.slots)
        push = PushDriver(subjects.JOBS, lanes, turns=LaneTurns(settings.slots, subjects.bulk_consumer(service)))
        within = (Outcomes(service, lambda: self.sender), CallingOff(self._running))
        super().__init__(service, settings, push if jobs == "pushed" else pull, within=within)
        self.declare_outcomes(JobCancelled, JobDead)

    def _results(self, results: set[type[Contract]]) -> None:
        self.declare_outcomes(*results)

    async def start(self) -> None:
        """Begin to receive, and to hear of jobs that nobody waits for any more."""

        async def hear(message: Msg) -> None:
            self._running.cancel(subjects.parse_cancelled_job(message.subject))

        if self.service in subjects.LONG_WORKERS:
            await self.nats.subscribe(subjects.cancelled_jobs(), cb=hear)
        await super().start()


async def _through_outages(call: Callable[[], Awaitable[object]]) -> None:
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
