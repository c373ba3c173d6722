"""Print the part of requirements.lock that one package, or one tool, needs to run.

usage: python deploy/closure.py NAME                    lock entries with their hashes
       python deploy/closure.py NAME[EXTRA]             the same, with what an extra of our package NAME needs
       python deploy/closure.py --folders NAME          folders of our own packages, lowest first

The lock says under every entry which packages it is there for; a service image installs no other.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)
NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
EXTRAS = re.compile(r"\[([A-Za-z0-9._, -]+)\]")


@dataclass(frozen=True)
class Locked:
    """One entry of the lock: its text with hashes, and the packages that it is there for."""

    text: str
    wanted_by: frozenset[str]


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lock(root: Path = ROOT) -> dict[str, Locked]:
    """The entries of requirements.lock by name; one that has a version for each Python stands there as a whole."""
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    starts = [*ENTRY.finditer(text)]
    ends = [*(match.start() for match in starts[1:]), len(text)]
    blocks = ((m.group(1), text[m.start() : end]) for m, end in zip(starts, ends, strict=True))
    found: dict[str, str] = {}
    for name, block in blocks:
        found[normalised(name)] = found.get(normalised(name), "") + block
    return {name: Locked(text, _wanted_by(text)) for name, text in found.items()}


@cache
def own_packages(root: Path = ROOT) -> dict[str, tuple[Path, frozenset[str]]]:
    """Our packages by name: folder, and the names of the distributions that they require."""
    projects = {folder: _project(folder) for folder in _folders(root)}
    return {str(project["name"]): (folder, _names(project["dependencies"])) for folder, project in projects.items()}


def required_by_extras(name: str, root: Path = ROOT) -> frozenset[str]:
    project = _project(own_packages(root)[name][0])
    return frozenset().union(*map(_names, project.get("optional-dependencies", {}).values()))


def required_by_extra(requirement: str, root: Path = ROOT) -> frozenset[str]:
    """What the extras of ``NAME[EXTRA,EXTRA]``, a package of ours, add; raises `KeyError` if it has no such extra."""
    extras = EXTRAS.search(requirement)
    if extras is None:
        return frozenset()
    folder, _ = own_packages(root)[distribution_name(requirement)]
    known = _project(folder)["optional-dependencies"]
    return _names(one for extra in extras[1].split(",") for one in known[extra.strip()])


def _asked_for(names: Iterable[str], root: Path) -> Iterator[str]:
    own = own_packages(root)
    for name in names:
        texts = _project(own[name][0])["dependencies"]
        yield from (text for text in texts if EXTRAS.search(text) and distribution_name(text) in own)


def own_closure(names: Iterable[str], root: Path = ROOT) -> list[str]:
    """Our packages among ``names`` with all of ours that they require, lowest first."""
    own = own_packages(root)
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name in own and name not in ordered:
            extras = (required_by_extra(text, root) for text in _asked_for([name], root))
            for required in sorted(own[name][1].union(*extras)):
                visit(required)
            ordered.append(name)

    for name in names:
        visit(distribution_name(name))
    return ordered


def closure(names: Iterable[str], root: Path = ROOT) -> dict[str, Locked]:
    """The lock entries that ``names`` (our packages, also with an extra, or distributions of the lock) need.

    Raises `LookupError` if the lock lacks one.
    """
    names = [*names]
    locked, own = lock(root), own_packages(root)
    # The lock does not tell what a package of ours requires from what only its extras do.
    members = own_closure(names, root)
    wanted = {required for name in members for required in own[name][1]}
    wanted |= {required for name in (*names, *_asked_for(members, root)) for required in required_by_extra(name, root)}
    wanted |= {normalised(distribution_name(name)) for name in names}
    wanted -= own.keys()
    if missing := wanted - locked.keys():
        raise LookupError(f"not in requirements.lock: {', '.join(sorted(missing))}")
    while True:
        more = {name for name, entry in locked.items() if entry.wanted_by & wanted} - wanted
        if not more:
            return {name: entry for name, entry in locked.items() if name in wanted}
        wanted |= more


def _folders(root: Path) -> list[Path]:
    files = sorted(root.glob("contracts/pyproject.toml")) + sorted(root.glob("*/*/pyproject.toml"))
    return [file.parent for file in files]


@cache
def _project(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _names(requirements: Iterable[str]) -> frozenset[str]:
    return frozenset(normalised(distribution_name(text)) for text in requirements)


def _wanted_by(block: str) -> frozenset[str]:
    comments = re.findall(r"^ +# +(?:via )?(?! )(.+)$", block, re.MULTILINE)
    return frozenset(normalised(distribution_name(c)) for c in comments if NAME.match(c) and c != "via")


def distribution_name(requirement: str) -> str:
    """The name at the start of a requirement, for example of ``faststream[nats]>=0.7``."""
    match = NAME.match(requirement)
    if match is None:
        raise ValueError(f"no distribution name in {requirement!r}")
    return match.group(0)


def lines(arguments: list[str]) -> Iterator[str]:
    if arguments[0] == "--folders":
        own = own_packages()
        yield from (str(own[name][0].relative_to(ROOT)) for name in own_closure(arguments[1:]))
    else:
        yield from (entry.text.rstrip() for entry in closure(arguments).values())


if __name__ == "__main__":
    print(*lines(sys.argv[1:]), sep="\n")
