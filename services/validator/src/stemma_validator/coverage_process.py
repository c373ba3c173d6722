"""The check of coverage as a process: a `CoverageCheck` comes on stdin, the blocks go to stdout."""

from __future__ import annotations

import sys

from .covering import CoverageCheck, blocks_json


def main() -> None:
    """Check one draft."""
    check = CoverageCheck.model_validate_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(blocks_json.dump_json(check.run()))


if __name__ == "__main__":
    main()
