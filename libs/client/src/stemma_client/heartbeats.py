"""Signs of life of a consumer, which say how much it has delivered; nats-py gives them to nobody."""

from __future__ import annotations

from typing import Any, cast

from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import Header


class Heartbeats:
    """What is heard of the consumer of a subscription: the ``number`` of its heartbeats.

    ``delivered`` counts its messages by the last of them.
    """

    def __init__(self, subscription: JetStreamContext.PushSubscription) -> None:
        self.number = self.delivered = 0
        self._noted = cast("Any", subscription._sub._jsi)
        self._noted.check_for_sequence_mismatch = self._hear

    def came(self) -> bool:
        """Whether anything came since the last look."""
        heard, self._noted._active = bool(self._noted._active), False
        return heard

    async def _hear(self, heartbeat: Msg) -> None:
        self.number += 1
        self.delivered = int((heartbeat.headers or {}).get(Header.LAST_CONSUMER, 0))
