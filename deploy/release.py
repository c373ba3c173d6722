"""Build a release that stood before, from its commit and its own lock, into a folder that has its own environment.

usage: python deploy/release.py 0.1.0 FOLDER    FOLDER/.venv/bin has its programs; what is there already stays
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASES = Path(__file__).with_name("releases.toml")
MADE = ".made"


class CannotBuild(Exception):
    """A release that cannot be built here; the message says why and what to do."""


def main(arguments: list[str]) -> int:
    """Build one; returns the exit status."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        build(arguments[0], Path(arguments[1]))
    except CannotBuild as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def known() -> Mapping[str, str]:
    with RELEASES.open("rb") as file:
        return {version: about["commit"] for version, about in tomllib.load(file).items()}


def build(version: str, folder: Path, repository: Path = ROOT) -> Path:
    """The folder with the programs of a release; raises `CannotBuild`."""
    programs = folder.resolve() / ".venv" / "bin"
    if (folder / MADE).exists():
        return programs
    commit = commit_of(version, repository)
    folder.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["git", "-C", str(repository), "archive", commit], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", str(folder)], stdin=archive.stdout, check=True)
    made = subprocess.run(["make", "--no-print-directory", "setup"], cwd=folder, env=_alone(), check=False)
    if made.returncode:
        raise CannotBuild(f"release {version}: `make setup` in {folder} ended with {made.returncode}")
    (folder / MADE).touch()
    return programs


def commit_of(version: str, repository: Path = ROOT) -> str:
    """The commit of a release, which is in the repository; raises `CannotBuild`."""
    if not (commit := known().get(version)):
        raise CannotBuild(f"release {version} is none of {', '.join(known())}, which {RELEASES.name} has")
    there = ["git", "-C", str(repository), "cat-file", "-e", f"{commit}^{{commit}}"]
    if subprocess.run(there, capture_output=True, check=False).returncode:
        raise CannotBuild(
            f"release {version} is commit {commit}, which this clone does not have: run `git fetch --unshallow`"
        )
    return commit


def _alone() -> dict[str, str]:
    """The environment without what an outer make or virtual environment says."""
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "VENV", "PYTHON", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in outer}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
