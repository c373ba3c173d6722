"""A process whose event loop stands still ends, so that its supervisor starts it again; a late loop is measured."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stemma_telemetry.metrics import Gauges
from stemma_telemetry.names import Metric

from .cancellation import end

CPU_SECONDS = 30.0
"""What a process may spend while its loop does not come round; a suspended process spends none."""
_ROUNDS_S = 1.0
_REMEMBERED = 60
"""Rounds of which the latest one is told: at least as many as there are between two scrapes."""
_gauges = Gauges(Metric.LOOP_LAG)


@asynccontextmanager
async def ended_by_standstill(cpu_seconds: float = CPU_SECONDS) -> AsyncIterator[None]:
    """End this process by SIGPROF, with the traceback of all threads in its errors, where the loop stands still.

    The kernel counts and ends: code that holds the interpreter cannot put it off.
    """
    # The handler writes the traceback, then has the signal do what it does by itself: end the process.
    faulthandler.register(signal.SIGPROF, chain=True)
    rounds = asyncio.create_task(_come_round(cpu_seconds))
    try:
        yield
    finally:
        await end([rounds])
        signal.setitimer(signal.ITIMER_PROF, 0)


async def _come_round(cpu_seconds: float) -> None:
    loop, late = asyncio.get_running_loop(), deque[float](maxlen=_REMEMBERED)
    while True:
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        due = loop.time() + _ROUNDS_S
        await asyncio.sleep(_ROUNDS_S)
        late.append(max(0.0, loop.time() - due))
        _gauges.see(Metric.LOOP_LAG, [(max(late), {})])
