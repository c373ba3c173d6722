"""A check as a process: module and class are its arguments, the check comes on stdin, what it finds goes to stdout."""

from __future__ import annotations

import sys
from importlib import import_module

from .confined import Check


def main() -> None:
    """Run one check."""
    module, name = sys.argv[1:]
    kind: type[Check[object]] = getattr(import_module(module), name)
    check = kind.model_validate_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(kind.answer.dump_json(check.run()))


if __name__ == "__main__":
    main()
