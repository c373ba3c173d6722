"""Looks at the installation from time to time."""

from __future__ import annotations

import asyncio

from stemma_messaging.outages import reason_of
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges

from . import census, copies, fleet

GAUGES = Gauges(*fleet.METRICS, *copies.METRICS, *census.METRICS)


class Observer:
    """Measures what no single message tells. While it cannot look, it tells nothing: what was seen then is not true."""

    def __init__(self, *looking: fleet.Fleet | copies.Copies | census.Census) -> None:
        self._looking = looking

    async def observe_for_ever(self, every_s: float) -> None:
        """Look now and every so many seconds, until cancelled."""
        try:
            while True:
                await self._look()
                await asyncio.sleep(every_s)
        finally:
            GAUGES.forget()

    async def _look(self) -> None:
        try:
            for each in self._looking:
                await each.look()
        except Exception as error:
            GAUGES.forget()
            get_logger().warning(names.Log.OBSERVING_FAILED, error=error, reason=reason_of(error))
