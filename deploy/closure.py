"""Print the part of requirements.lock that one package, or one tool, needs to run.

usage: python deploy/closure.py NAME [NAME ...]        lock entries with their hashes
       python deploy/closure.py --folders NAME          folders of our own packages, lowest first

The lock says under every entry which packages it is there for; a service image installs no other.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)
NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Locked:
    """One entry of the lock: its text with hashes, and the packages that it is there for."""

    text: str
    wanted_by: frozenset[str]


def normalised(name: str) -> str:
    """A distribution name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lock(root: Path = ROOT) -> dict[str, Locked]:
    """The entries of requirements.lock by name."""
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    starts = [*ENTRY.finditer(text)]
    ends = [*(match.start() for match in starts[1:]), len(text)]
    blocks = ((m.group(1), text[m.start() : end]) for m, end in zip(starts, ends, strict=True))
    return {normalised(name): Locked(block, _wanted_by(block)) for name, block in blocks}


def own_packages(root: Path = ROOT) -> dict[str, tuple[Path, frozenset[str]]]:
    """Our packages by name: folder, and the names of the distributions that they require."""
    found = {}
    for file in sorted(root.glob("contracts/pyproject.toml")) + sorted(root.glob("*/*/pyproject.toml")):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        required = frozenset(normalised(distribution_name(text)) for text in project["dependencies"])
        found[str(project["name"])] = (file.parent, required)
    return found


def own_closure(names: Iterable[str], root: Path = ROOT) -> list[str]:
    """Our packages among ``names`` with all of ours that they require, lowest first."""
    own = own_packages(root)
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name in own and name not in ordered:
            for required in sorted(own[name][1]):
                visit(required)
            ordered.append(name)

    for name in names:
        visit(name)
    return ordered


def closure(names: Iterable[str], root: Path = ROOT) -> dict[str, Locked]:
    """The lock entries that ``names`` (our packages, or distributions of the lock) need."""
    locked = lock(root)
    wanted = {*names}
    wanted |= set(own_closure(wanted, root))
    while True:
        more = {name for name, entry in locked.items() if entry.wanted_by & wanted} - wanted
        if not more:
            return {name: entry for name, entry in locked.items() if name in wanted}
        wanted |= more


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
    """What the command prints."""
    if arguments[0] == "--folders":
        own = own_packages()
        yield from (str(own[name][0].relative_to(ROOT)) for name in own_closure(arguments[1:]))
    else:
        yield from (entry.text.rstrip() for entry in closure(arguments).values())


if __name__ == "__main__":
    print(*lines(sys.argv[1:]), sep="\n")
