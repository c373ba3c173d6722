"""Signals as a program at a terminal gets them, also where the tests run in the background."""

import sys
from collections.abc import Sequence

_RUN = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def interruptible(command: Sequence[str]) -> list[str]:
    """The command of a program that a test interrupts; its first word is a path.

    A shell starts what runs in the background (``make test &``) with SIGINT ignored, and that is inherited.
    """
    return [sys.executable, "-I", "-S", "-c", _RUN, *command]
