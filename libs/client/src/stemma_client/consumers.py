"""Throw-away consumers, what comes from them, and their signs of life, which nats-py gives to nobody."""

from typing import Any, cast
from uuid import uuid4

from nats.aio.msg import Msg
from nats.errors import NotJSMessageError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, Header

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
