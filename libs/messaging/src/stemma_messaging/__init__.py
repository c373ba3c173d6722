"""The edge of a service: FastStream's registration and decoding, our middlewares, drivers and publisher.

A service is a FastStream application. Its ``handlers.py`` registers handlers on a `NatsRouter`, those of jobs by
`job_routes`; its ``app.py`` makes broker and application::

    def build_app(settings: WorkerSettings) -> FastStream:
        broker, tools = WorkerBroker(subjects.VALIDATOR, settings), Opened[Tools]()
        broker.include_router(routes(tools))

        @asynccontextmanager
        async def lifespan() -> AsyncIterator[None]:
            async with broker.connected():
                tools.give(Tools(JetStreamArtifactStore(broker.jetstream)))
                yield

        return FastStream(broker, lifespan=lifespan, logger=None)

    service = Service(subjects.VALIDATOR, WorkerSettings, build_app)

A handler takes one contract, or a `Delivery`. It returns, and the message is acknowledged, once what it returned is
published; it raises `InvalidMessage`, and the message is dead-lettered; it raises anything else, and the message comes
again with growing delays, a bounded number of times.
"""

from .broker import StemmaBroker, WorkerBroker, job_routes
from .delivery import Delivery, Handler
from .errors import BusFailed, ForeignMessage, GivenUp, InvalidMessage, MessageTooLarge, PutOff
from .publisher import Publisher
from .running import account
from .service import Opened, Service, http_server
from .settings import BadSettings, ServiceSettings, WorkerSettings, config_dir, load_settings
from .turns import Turns
