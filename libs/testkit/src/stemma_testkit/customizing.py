"""Code that a process of a service runs before its own.

A ``sitecustomize`` on its path works with whatever starts it, and runs before anything is imported. `main`, started in
its place, spares it the imports: what a copy of the launcher finds is imported already.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

CODE = "STEMMA_TEST_FIRST"
"""The variable that holds the code."""
RUNS = "stemma_testkit.customizing"
"""The module whose `main` that is."""


def main() -> None:
    """Run the code of the environment, then ``main`` of the module that the first argument names, with the others."""
    exec(os.environ.get(CODE, ""), {})
    del sys.argv[0]
    import_module(sys.argv[0]).main()


def finding(folder: Path) -> dict[str, str]:
    """What the environment of a process must hold for packages in a folder to be installed for it."""
    return {CODE: f"import sys\n\nsys.path.insert(0, {str(folder)!r})\n"}


def env_of(folder: Path, code: str) -> dict[str, str]:
    """What the environment of a process must hold to run this code before it imports anything; the folder holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


if __name__ == "__main__":
    main()
