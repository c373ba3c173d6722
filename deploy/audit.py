"""Compare what is locked with the advisories in deploy/advisories.toml; names each locked version that one is about.

usage: python deploy/audit.py [ROOT]    ROOT has requirements.lock, and npm-shrinkwrap.json files in any folder

Nothing is looked up: how the list is renewed stands in CONTRIBUTING.md.
"""

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from closure import ENTRY, normalised
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
ADVISORIES = Path(__file__).with_name("advisories.toml")
FRESH_DAYS = 90


class Locked(NamedTuple):
    registry: str
    package: str
    version: str
    file: Path


class Advisory(NamedTuple):
    """An advisory: the versions that any of ``affected`` has, as PEP 440 writes them."""

    id: str
    registry: str
    package: str
    affected: tuple[SpecifierSet, ...]
    about: str

    def is_about(self, one: Locked) -> bool:
        """Whether it is about a locked version; one that cannot be read raises `InvalidVersion`."""
        if (self.registry, self.package) != (one.registry, one.package):
            return False
        version = Version(one.version)
        return any(affected.contains(version, prereleases=True) for affected in self.affected)


def main(arguments: list[str]) -> int:
    """Audit; returns the exit status."""
    root = Path(arguments[0]) if arguments else ROOT
    checked, advisories = known()
    if is_old(checked, date.today()):
        print(f"audit: deploy/advisories.toml is of {checked}: renew it, see CONTRIBUTING.md", file=sys.stderr)
    found = [(one, advisory) for one in locked(root) for advisory in advisories if advisory.is_about(one)]
    for one, advisory in found:
        print(f"audit: {one.file}: {one.package} {one.version}: {advisory.id}: {advisory.about}", file=sys.stderr)
    return 1 if found else 0


def is_old(checked: date, today: date) -> bool:
    return (today - checked).days > FRESH_DAYS


def known(file: Path = ADVISORIES) -> tuple[date, list[Advisory]]:
    listed = tomllib.loads(file.read_text(encoding="utf-8"))
    return listed.pop("checked"), [
        Advisory(one["id"], registry, package, tuple(map(SpecifierSet, one["affected"])), one["about"])
        for registry, packages in listed.items()
        for package, advisories in packages.items()
        for one in advisories
    ]


def locked(root: Path) -> Iterator[Locked]:
    lock = root / "requirements.lock"
    for line in lock.read_text(encoding="utf-8").splitlines():
        if entry := ENTRY.match(line):
            yield Locked("pypi", normalised(entry[1]), line[entry.end() :].split()[0], Path(lock.name))
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "node_modules" and not name.startswith("."))
        if "npm-shrinkwrap.json" in files:
            file = Path(folder, "npm-shrinkwrap.json")
            packages = json.loads(file.read_text(encoding="utf-8"))["packages"]
            for path in filter(None, packages):
                name = path.rpartition("node_modules/")[2]
                yield Locked("npm", name, packages[path]["version"], file.relative_to(root))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
