"""What libraries import for few of their users, imported when one of these is there.

Nothing is left out: who asks for it gets what it always is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

Around = Callable[[ModuleType], AbstractContextManager[None]]
"""Something to do before and after the code of a module is executed."""


def spare_aiohttp() -> None:
    """Have nats-py, which is imported after this, load aiohttp with its first web socket only: that takes 8 MB."""
    leave_out("aiohttp", of="nats.aio.transport")


def leave_out(*modules: str, of: str) -> None:
    """Have a module, if it is imported after this, load those that it imports when it first uses something of them.

    It must import them as modules, not names from them, and be used for more than them. A package that is not
    installed is missed as always.
    """
    execute_within(of, partial(_standing_in, modules))


def execute_within(name: str, around: Around) -> None:
    """Have the code of a module, if it is imported after this, executed within a context."""
    if name not in sys.modules and not any(_is_for(name, finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AroundFinder(name, around))


def _is_for(name: str, finder: object) -> bool:
    return isinstance(finder, _AroundFinder) and finder.name == name


class _AroundFinder(MetaPathFinder):
    def __init__(self, name: str, around: Around) -> None:
        self.name = name
        self._around = around

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _AroundLoader(spec.loader, self._around)
        return spec


class _AroundLoader(Loader):
    def __init__(self, loader: Loader, around: Around) -> None:
        self._loader = loader
        self._around = around

    def __getattr__(self, name: str) -> Any:
        """Such as where the files of a package are."""
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        with self._around(module):
            self._loader.exec_module(module)


@contextmanager
def _standing_in(names: Sequence[str], _importer: ModuleType) -> Iterator[None]:
    stand_ins = {name: _Later(name) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for later in stand_ins.values():
            later.stand_back()


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(self.real(), name)

    def real(self) -> ModuleType:
        """The module that this stands for."""
        self.stand_back()
        return import_module(self.__name__)

    def stand_back(self) -> None:
        """Who imports the module from now on gets the real one."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


def leave_out_names(*modules: str, of: str) -> None:
    """Have a package, if it is imported after this, load modules of its own when somebody asks it for what it names.

    It must import names from them, which its own code does not use while it is executed. Who else imports them
    meanwhile loads them.
    """
    execute_within(of, partial(_marking, modules))


@contextmanager
def _marking(names: Sequence[str], package: ModuleType) -> Iterator[None]:
    stand_ins = {name: _Marks(name, package) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for stand_in in stand_ins.values():
            stand_in.stand_back()
    found = {name: mark for name, mark in vars(package).items() if isinstance(mark, _Mark)}
    for name in found:
        delattr(package, name)
    modules = {name.rpartition(".")[2]: partial(import_module, name) for name in stand_ins}
    find_later(package, {**modules, **{name: mark.found for name, mark in found.items()}})


class _Marks(_Later):
    """Gives the package a mark for each name, and everybody else what it stands for."""

    def __init__(self, name: str, package: ModuleType) -> None:
        super().__init__(name)
        self._package = package

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys._getframe(1).f_globals is vars(self._package):
            return _Mark(self.__name__, name)
        return getattr(self.real(), name)


@dataclass(frozen=True)
class _Mark:
    module: str
    name: str

    def found(self) -> Any:
        """What it stands for."""
        return getattr(import_module(self.module), self.name)


def find_later(module: ModuleType, later: Mapping[str, Callable[[], Any]]) -> None:
    """Have names of a module found when somebody asks for them, and all others as before."""
    others = vars(module).get("__getattr__")

    def find(name: str) -> Any:
        if name in later:
            return later[name]()
        if others is None:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return others(name)

    vars(module)["__getattr__"] = find


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
