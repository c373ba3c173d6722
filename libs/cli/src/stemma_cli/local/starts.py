"""What is told between who starts a process and who makes it: what it does, with which descriptors."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

LONGEST = 64 * 1024
"""Bytes of a message: names and numbers; an environment is longer, and lies in a file of memory."""


@dataclass(frozen=True)
class Start:
    """``main`` of a module, with the services as arguments that it runs; the environment is all that it has.

    Where it says something else to Python (``PYTHON...``) than ours does, the process imports its modules itself.
    """

    name: str
    module: str
    services: Sequence[str]
    environment: Mapping[str, str]

    @classmethod
    def read(cls, descriptor: int) -> Start:
        """What a file tells."""
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(0)
            return cls(**json.load(file))

    def written(self) -> int:
        """A file without a name that tells it."""
        descriptor = os.memfd_create("start")
        with open(descriptor, "wb", closefd=False) as file:
            file.write(json.dumps(asdict(self)).encode())
        return descriptor


class Descriptors(NamedTuple):
    """What a new process gets: its `Start`, and where it works, reads, logs, and where its end is told."""

    start: int
    folder: int
    stdin: int
    log: int
    report: int
