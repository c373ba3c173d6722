"""Code that a process of a service runs before its own: a ``sitecustomize`` on its path, which Python runs first."""

import os
from pathlib import Path


def path_with(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


def env_of(folder: Path, code: str) -> dict[str, str]:
    """The environment of a process that runs this code before it imports anything; the folder holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(code)
    return path_with(folder)
