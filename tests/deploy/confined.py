"""Run a program as a container would: it writes only in some folders, listens and connects only to some ports.

usage: python confined.py --write FOLDER ... --bind PORT ... --connect PORT ... -- PROGRAM ARGUMENT ...

The kernel refuses all else to the program and to what it starts: Landlock, in Linux 6.7 and newer, also for root.
"""

import argparse
import ctypes
import os
import sys
from collections.abc import Iterable

CREATE, ADD, RESTRICT = 444, 445, 446
NETWORK_SINCE = 4
"""The version of Landlock that knows ports."""
BENEATH, PORT = 1, 2
BIND, CONNECT = 1, 2
WRITING = 1 << 1 | sum(1 << right for right in range(4, 15))
NO_NEW_PRIVILEGES = 38
MOUNTED = ("/dev", "/proc")
"""Every container has them, and may write there."""
LIBC = ctypes.CDLL(None, use_errno=True)


class _Handled(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("rights", ctypes.c_uint64), ("port", ctypes.c_uint64))


def confine(folders: Iterable[str], bound: Iterable[int], connected: Iterable[int]) -> None:
    """Give up all other writing, listening and connecting, for good; raises `OSError`."""
    handled = _Handled(WRITING, BIND | CONNECT)
    ruleset = _called(CREATE, ctypes.byref(handled), ctypes.sizeof(handled), 0)
    for folder in folders:
        rule = _Beneath(WRITING, os.open(folder, os.O_PATH))
        _called(ADD, ruleset, BENEATH, ctypes.byref(rule), 0)
    for right, ports in ((BIND, bound), (CONNECT, connected)):
        for port in ports:
            _called(ADD, ruleset, PORT, ctypes.byref(_Port(right, port)), 0)
    LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _called(RESTRICT, ruleset, 0)


def _called(number: int, *arguments: object) -> int:
    done = int(LIBC.syscall(number, *arguments))
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return done


def main(arguments: list[str]) -> None:
    """Confine this process, and become the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", nargs="*", default=[])
    parser.add_argument("--bind", nargs="*", type=int, default=[])
    parser.add_argument("--connect", nargs="*", type=int, default=[])
    split = arguments.index("--")
    given = parser.parse_args(arguments[:split])
    if _called(CREATE, None, 0, 1) < NETWORK_SINCE:
        sys.exit("these tests need Linux 6.7 or newer: Landlock knows no ports here")
    confine([*MOUNTED, *given.write], given.bind, given.connect)
    os.execvp(arguments[split + 1], arguments[split + 1 :])


if __name__ == "__main__":
    main(sys.argv[1:])
