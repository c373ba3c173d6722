"""The program that sets a Typst source as PDF; run as a process of its own, with limits."""

from __future__ import annotations

import sys
from pathlib import Path

import typst


def main() -> None:
    """Set ``main.typ`` of the working folder, created at the second given, and write the PDF to the output."""
    folder = Path.cwd()
    pdf = typst.compile(
        folder / "main.typ",
        root=folder,
        format="pdf",
        package_path=folder / "no-packages",
        package_cache_path=folder / "no-packages",
        timestamp=int(sys.argv[1]),
    )
    sys.stdout.buffer.write(pdf)


if __name__ == "__main__":
    main()
