"""The claims check as a process: a `ClaimsCheck` comes on stdin, what was found goes to stdout."""

from __future__ import annotations

import sys

from .claims import ClaimsCheck


def main() -> None:
    """Look up the claims of one draft."""
    check = ClaimsCheck.model_validate_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(check.run().model_dump_json(exclude={"draft"}).encode())


if __name__ == "__main__":
    main()
