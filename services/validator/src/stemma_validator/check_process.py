"""The structure checks as a process: a `StructureCheck` comes on stdin, the issues go to stdout."""

from __future__ import annotations

import sys

from .checking import StructureCheck, issues_json


def main() -> None:
    """Check one draft."""
    check = StructureCheck.model_validate_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(issues_json.dump_json(check.run()))


if __name__ == "__main__":
    main()
