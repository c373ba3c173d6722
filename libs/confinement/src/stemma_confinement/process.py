"""What a process asks the system about itself (``man 2 prctl``, ``man 7 sched``)."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

PDEATHSIG, CHILD_SUBREAPER = 1, 36


def prctl(option: int, value: int) -> None:
    """Set an option of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def yield_processor(by: int) -> None:
    """Be nicer by so much, also where the system shares the processor out among sessions (``sched(7)``, autogroup).

    There niceness counts within a session alone; what leads a session makes that one nicer as well.
    """
    niceness = os.nice(by)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # it does not, or lets nobody change it
            Path("/proc/self/autogroup").write_text(str(niceness))
