"""The program that sets a Typst source as PDF; run as a process of its own, with limits."""

from __future__ import annotations

import sys
from pathlib import Path

import typst


def main() -> None:
    """Set ``main.typ`` of the working folder as ``main.pdf``, created at the second given.

    The value that the source has under the label given goes to the output as JSON.
    """
    folder = Path.cwd()
    created, label = sys.argv[1:]
    compiler = typst.Compiler(
        folder / "main.typ",
        root=folder,
        package_path=folder / "no-packages",
        package_cache_path=folder / "no-packages",
    )
    compiler.compile(output=folder / "main.pdf", format="pdf", timestamp=int(created))
    sys.stdout.write(compiler.query(label, field="value", one=True))


if __name__ == "__main__":
    main()
