"""What libraries import for few of their users, imported when one of these is there.

Nothing is left out: who asks for it gets what it always is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any


def spare_aiohttp() -> None:
    """Have nats-py, which is imported after this, load aiohttp with its first web socket only: that takes 8 MB."""
    if "aiohttp" not in sys.modules and not any(isinstance(finder, _TransportFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _TransportFinder())


class _TransportFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "nats.aio.transport":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _TransportLoader(spec.loader)
        return spec


class _TransportLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def exec_module(self, module: ModuleType) -> None:
        sys.modules.setdefault("aiohttp", later := _Later("aiohttp"))
        try:
            self._loader.exec_module(module)
        finally:
            if sys.modules["aiohttp"] is later:
                del sys.modules["aiohttp"]


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def name_lazily(*packages: str) -> None:
    """Load modules of packages, and of those in them, name by name, where all that a package does is to name things.

    For what is imported from now on: SDKs that are generated have a module for each of a thousand types, and a package
    that names them all.
    """
    sys.meta_path.insert(0, _NamingFinder(packages))


class _NamingFinder(MetaPathFinder):
    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(self._packages):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.submodule_search_locations is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        exports = exports_of(spec.loader.get_source(fullname) or "")
        if exports is None:
            return None
        spec.loader = _NamingLoader(exports)
        return spec


class _NamingLoader(Loader):
    def __init__(self, exports: Mapping[str, tuple[str, str]]) -> None:
        self._exports = exports

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            found = _imported(module.__name__, *self._exports.get(name, (name, "")))
            setattr(module, name, found)
            return found

        module.__dict__.update(__getattr__=find, __all__=list(self._exports))


def _imported(package: str, submodule: str, name: str) -> Any:
    try:
        module = import_module(f"{package}.{submodule}")
    except ModuleNotFoundError as missing:
        if missing.name != f"{package}.{submodule}":
            raise
        raise AttributeError(f"module {package!r} has no attribute {submodule!r}") from None
    return getattr(module, name) if name else module


def exports_of(source: str) -> Mapping[str, tuple[str, str]] | None:
    """The names that a package has from its own modules, with module and name there; none if it does anything else."""
    exports = dict[str, tuple[str, str]]()
    for statement in ast.parse(source).body:
        match statement:
            case ast.ImportFrom(module="__future__", level=0) | ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.ImportFrom(module=module, level=1):
                exports |= {name: (module, there) if module else (there, "") for name, there in _names(statement)}
            case _:
                return None
    return None if "*" in exports else exports


def _names(statement: ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in statement.names:
        yield alias.asname or alias.name, alias.name
