"""A check as a call in a process of its own: it lies in a folder, and what it finds is to lie there too."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .confined import Check

KIND, CHECK, FOUND = "kind", "check.json", "found.json"
# By name, because they import what calls them.
_CHECKS = ("checking", "citing", "claims", "covering", "extracting", "identification")


def prepare() -> None:
    """Import all checks, and have read what a first one reads."""
    modules = {name: import_module(f"{__package__}.{name}") for name in _CHECKS}
    modules["claims"].ClaimsCheck(text="Ada pays EUR 5.", language="en", sources=()).run()


def order(check: Check[Any], folder: Path) -> None:
    """Lay a check into a folder."""
    (folder / KIND).write_text(f"{type(check).__module__} {type(check).__name__}", encoding="utf-8")
    (folder / CHECK).write_text(check.model_dump_json(), encoding="utf-8")


def run(folder: Path) -> None:
    """Run the check that lies in a folder."""
    module, name = (folder / KIND).read_text(encoding="utf-8").split()
    kind: type[Check[object]] = getattr(import_module(module), name)
    check = kind.model_validate_json((folder / CHECK).read_bytes())
    (folder / FOUND).write_bytes(kind.answer.dump_json(check.run()))
