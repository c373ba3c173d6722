"""What a process has in hand, kept where it outlives it: who follows a process that was killed gives it back at once.

The server waits for a sign of life of what it delivered, and cannot tell a process that was killed from one that is at
work. The longer it waits, the less such signs cost; this is what makes a long wait bearable. It is written to a file
that is mapped into memory, without a call of the kernel, which keeps it when the process is gone. A machine that is
lost takes it along, and what the process had not yet read from its socket is not in it: for these the server waits.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

PLACES, PLACE_BYTES = 1024, 512
"""More messages at a time, or longer addresses, are not kept."""
_UNTIL, _LENGTH = struct.Struct("<d"), struct.Struct("<H")
_SIZE = _UNTIL.size + PLACES * PLACE_BYTES


class InHand:
    """The addresses at which messages are settled that this process is at work on, in their first delivery.

    Later ones are left to the server, which waits for them: a message that kills each process that handles it would
    come again at once, each time.
    """

    def __init__(self) -> None:
        self._memory: mmap.mmap = mmap.mmap(-1, _SIZE)
        self._file: IO[bytes] | None = None
        self._free = list(range(PLACES))

    def begin(self, folder: Path) -> Sequence[str]:
        """Keep it in a file of its own in a folder from now on; gives what processes that are gone left there.

        What the server waited for long enough has gone to others and is not among it. Processes of one service may
        share a folder, and no others. Raises `OSError` for one that cannot be written to.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        left = [address for file in folder.iterdir() for address in _left_in(file)]
        self._file = NamedTemporaryFile(dir=folder, prefix="in-hand-")  # noqa: SIM115 - until `end`
        fcntl.flock(self._file, fcntl.LOCK_EX)
        # All of it now: a page for which a full disk has no room later would end the process, by a signal.
        os.posix_fallocate(self._file.fileno(), 0, _SIZE)
        self._memory = mmap.mmap(self._file.fileno(), _SIZE)
        return left

    def end(self) -> None:
        """Keep nothing any more: who ends in order has given everything back."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def seen(self, wait_s: float) -> None:
        """The process lives now: from now on the server waits so many seconds."""
        _UNTIL.pack_into(self._memory, 0, time.time() + wait_s)

    def take(self, address: str) -> int | None:
        """Keep an address; the place where, if there is one."""
        told = address.encode()
        if not self._free or len(told) > PLACE_BYTES - _LENGTH.size:
            return None
        place = self._free.pop()
        start = _start(place)
        self._memory[start + _LENGTH.size : start + _LENGTH.size + len(told)] = told
        _LENGTH.pack_into(self._memory, start, len(told))  # last: what is half written does not count
        return place

    def drop(self, place: int) -> None:
        """What was kept at a place is settled."""
        _LENGTH.pack_into(self._memory, _start(place), 0)
        self._free.append(place)


def _start(place: int) -> int:
    return _UNTIL.size + place * PLACE_BYTES


def _left_in(path: Path) -> Sequence[str]:
    """What a process left that is gone; its file is taken away. Nothing of one that is at work, or is no such file."""
    with suppress(OSError), path.open("rb") as file:
        if os.fstat(file.fileno()).st_size != _SIZE:  # one that is just begun, and not locked yet
            return ()
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
        kept = file.read()
        if _UNTIL.unpack_from(kept)[0] > time.time():
            return list(_addresses(kept))
    return ()


def _addresses(kept: bytes) -> Iterator[str]:
    for place in range(PLACES):
        start = _start(place)
        (length,) = _LENGTH.unpack_from(kept, start)
        told = kept[start + _LENGTH.size : start + _LENGTH.size + min(length, PLACE_BYTES - _LENGTH.size)]
        with suppress(UnicodeDecodeError):
            if told.startswith(b"$JS.ACK."):
                yield told.decode("ascii")
