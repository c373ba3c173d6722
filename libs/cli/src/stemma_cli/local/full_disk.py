"""A disk that was full: the NATS server takes nothing more then, and does not by itself once there is room again."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

ENOUGH_BYTES = 16 * 1024 * 1024
_NO_ROOM = (b"no space left on device", b"disk quota exceeded")


class FullDisk:
    """What the log of a server tells of the disk that it writes to."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = log.stat().st_size if log.exists() else 0

    def was_met(self) -> bool:
        """Whether the server could not write since it was asked last."""
        with suppress(OSError), self._log.open("rb") as log:
            log.seek(self._read)
            told = log.read()
            self._read += len(told)
            return any(words in told for words in _NO_ROOM)
        return False

    def has_room(self) -> bool:
        """Whether something can be written there by now."""
        with suppress(OSError):
            return shutil.disk_usage(self._log.parent).free >= ENOUGH_BYTES
        return False
