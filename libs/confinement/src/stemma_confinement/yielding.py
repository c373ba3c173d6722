"""How much of the processor a process leaves to others while there is not enough for all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def yield_processor(by: int) -> None:
    """Be nicer by so much, also where the system shares the processor out among sessions (``sched(7)``, autogroup).

    There niceness counts within a session alone; what leads a session makes that one nicer as well.
    """
    niceness = os.nice(by)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # it does not, or lets nobody change it
            Path("/proc/self/autogroup").write_text(str(niceness))
