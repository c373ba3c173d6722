"""Work on texts from outside: short ones in a thread, long ones in a process of its own, ended with its caller.

A thread cannot be ended, and holds up the event loop while it has the interpreter.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter

from .calls import Limits
from .prepared import Prepared

CALL, GIVEN, RETURNED = "call.json", "given.json", "returned.json"
_ANYTHING = TypeAdapter[Any](Any)
SHORT = 16 * 1024
"""Characters: the worst texts of this length take a third of a second."""
LIMITS = Limits(seconds=30, memory_mb=384, output_mb=64, wall_seconds=60)
AT_ONCE = 2

T = TypeVar("T")


class Computing:
    """The calls of a service, so many at a time; others wait for their turn.

    A function stands at the top of its module; types of what it takes and returns are such as Pydantic reads from JSON.
    """

    def __init__(self, prepared: Prepared, limits: Limits = LIMITS, at_once: int = AT_ONCE) -> None:
        self._prepared = prepared
        self._limits = limits
        self._turns = asyncio.Semaphore(at_once)

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        """What the function returns; raises `ConfinementError` or `Stalled` past the limits."""
        if is_short(given):
            return await asyncio.to_thread(function, *given)
        async with self._turns:
            return await confined(self._prepared, self._limits, function, *given)


async def confined(prepared: Prepared, limits: Limits, function: Callable[..., T], *given: Any) -> T:
    """Call a function in a process of its own; raises `ConfinementError` or `Stalled` past the limits."""
    with TemporaryDirectory(prefix="stemma-texts-") as name:
        return await _called(Path(name), prepared, limits, function, *given)


async def confined_in(folder: Path, prepared: Prepared, limits: Limits, function: Callable[..., T], *given: Any) -> T:
    """The same for a function that takes first the folder where its files lie, and leaves others there."""
    return await _called(folder, prepared, limits, function, folder, *given)


async def _called(folder: Path, prepared: Prepared, limits: Limits, function: Callable[..., T], *given: Any) -> T:
    await asyncio.to_thread(_order, function, given, folder)
    await prepared.run(run, folder, limits)
    found: T = await asyncio.to_thread(_returned, function, folder)
    return found


def is_short(given: Any) -> bool:
    """Whether a thread will do for texts, alone or within what is given."""
    return characters(given) <= SHORT


def characters(given: Any) -> int:
    """The characters of texts, alone or within what is given."""
    if isinstance(given, str):
        return len(given)
    if isinstance(given, Mapping):
        return characters(tuple(given.items()))
    if is_dataclass(given):
        return sum(characters(getattr(given, field.name)) for field in fields(given))
    return sum(map(characters, given)) if isinstance(given, tuple | list) else 0


def _order(function: Callable[..., Any], given: tuple[Any, ...], folder: Path) -> None:
    (folder / CALL).write_text(json.dumps([function.__module__, function.__qualname__]), encoding="utf-8")
    (folder / GIVEN).write_bytes(b"\n".join(map(_ANYTHING.dump_json, given)))


def run(folder: Path) -> None:
    """Make the call that lies in a folder."""
    module, name = json.loads((folder / CALL).read_bytes())
    function = attrgetter(name)(import_module(module))
    lines = (folder / GIVEN).read_bytes().split(b"\n")
    given = [TypeAdapter(kind).validate_json(line) for kind, line in zip(_kinds(function), lines, strict=False)]
    (folder / RETURNED).write_bytes(_returns(function).dump_json(function(*given)))


def _returned(function: Callable[..., Any], folder: Path) -> Any:
    return _returns(function).validate_json((folder / RETURNED).read_bytes())


def _kinds(function: Callable[..., Any]) -> list[Any]:
    """The types of what a function takes, of which the last may not be given; a method takes an object of its class."""
    kinds = [kind for name, kind in get_type_hints(function).items() if name != "return"]
    owner = function.__qualname__.rpartition(".")[0]
    return [attrgetter(owner)(import_module(function.__module__)), *kinds] if owner else kinds


def _returns(function: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])
