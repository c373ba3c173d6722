"""The identification of blocks as a process: an `Identification` comes on stdin, a `BlockIndex` goes to stdout."""

from __future__ import annotations

import sys

from .identification import Identification


def main() -> None:
    """Identify the blocks of one draft."""
    work = Identification.model_validate_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(work.run().model_dump_json().encode())


if __name__ == "__main__":
    main()
