"""Code that a process of a service runs before its own.

A ``sitecustomize`` on its path works with whatever starts it. `main`, started in its place, spares it the imports.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

CODE = "STEMMA_TEST_FIRST"
"""The variable that holds the code."""


def main() -> None:
    """Run the code of the environment, then the service that the argument names."""
    exec(os.environ[CODE], {})
    import_module("stemma_cli.local.run").main()


def env_of(folder: Path, code: str) -> dict[str, str]:
    """What the environment of a process must hold to run this code first; the folder holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


if __name__ == "__main__":
    main()
