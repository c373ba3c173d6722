"""Finds the folders of document kinds: below every package that an entry point ``stemma.kinds`` names.

A folder with a ``blueprint.json`` is a kind, and its name is that of the kind. The packages hold data: they are found,
and never imported.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

GROUP = "stemma.kinds"
BLUEPRINT = "blueprint.json"
SHIPPED = "stemma_kinds"


class KindError(ValueError):
    """Packages of kinds that cannot be used together, or are not there; the message names them."""


@dataclass(frozen=True)
class KindFolder:
    """All that there is of one document kind."""

    name: str
    path: Path

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the names and the content of its files: two that have the same one write the same."""
        sums = (f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for name, file in self._all())
        return hashlib.sha256("".join(sums).encode()).hexdigest()

    def files(self, folder: str, suffix: str) -> dict[str, Path]:
        """The files of a folder in it, by their path below that; each of them counts for the digest."""
        start = f"{folder}/"
        inside = ((name.removeprefix(start), file) for name, file in self._all() if name.startswith(start))
        return {name: file for name, file in inside if name.endswith(suffix)}

    def _all(self) -> list[tuple[str, Path]]:
        files = (file for file in self.path.rglob("*") if file.is_file())
        named = ((file.relative_to(self.path), file) for file in files)
        return sorted((path.as_posix(), file) for path, file in named if not _is_hidden(path))


def find_kinds() -> dict[str, KindFolder]:
    """Every kind by name; one of another package stands in for the one that ships under its name.

    Raises `KindError` for a package that is not there, and for two that have the same kind.
    """
    packages = {entry.value for entry in entry_points(group=GROUP)}
    found = _kinds_of(SHIPPED) if SHIPPED in packages else {}
    owners: dict[str, str] = {}
    for package in sorted(packages - {SHIPPED}):
        for name, kind in _kinds_of(package).items():
            if (other := owners.setdefault(name, package)) != package:
                raise KindError(f"the kind {name} is in {other} and in {package}")
            found[name] = kind
    return found


def digests() -> dict[str, str]:
    """The digest of every kind. Raises `KindError` as `find_kinds` does."""
    return {name: kind.digest for name, kind in find_kinds().items()}


def merged(kinds: Iterable[KindFolder], folder: str, suffix: str) -> Mapping[str, Path]:
    """The files that all kinds have in a folder, by their path below it.

    Raises `KindError` where two have another file under the same path.
    """
    found: dict[str, tuple[KindFolder, Path]] = {}
    for kind in kinds:
        for name, file in kind.files(folder, suffix).items():
            other, first = found.setdefault(name, (kind, file))
            if first.read_bytes() != file.read_bytes():
                raise KindError(f"{folder}/{name}: {other.name} and {kind.name} have another one under this name")
    return {name: file for name, (_, file) in found.items()}


def _kinds_of(package: str) -> dict[str, KindFolder]:
    if not package.isidentifier():  # to find what is inside a package, Python imports the package
        raise KindError(f"{GROUP}: {package} is not the name of a top-level package")
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.submodule_search_locations is None:
        raise KindError(f"{GROUP}: there is no package {package}")
    places = [Path(place) for place in spec.submodule_search_locations]
    files = (file for place in places for file in sorted(place.glob(f"*/{BLUEPRINT}")))
    return {file.parent.name: KindFolder(file.parent.name, file.parent) for file in files}


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)
