"""What a process asks the kernel about itself (``man 2 prctl``)."""

from __future__ import annotations

import ctypes
import os

PDEATHSIG, CHILD_SUBREAPER = 1, 36


def prctl(option: int, value: int) -> None:
    """Set an option of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
