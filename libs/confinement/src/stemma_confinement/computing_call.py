"""A call of a function or method in a confined process: a folder holds what it is given, and then what it returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

CALL, GIVEN, RETURNED = "call.json", "given.json", "returned.json"
_ANYTHING = TypeAdapter[Any](Any)


def order(function: Callable[..., Any], given: tuple[Any, ...], folder: Path) -> None:
    """Lay a call into a folder."""
    (folder / CALL).write_text(json.dumps([function.__module__, function.__qualname__]), encoding="utf-8")
    (folder / GIVEN).write_bytes(b"\n".join(map(_ANYTHING.dump_json, given)))


def run(folder: Path) -> None:
    """Make the call that lies in a folder."""
    module, name = json.loads((folder / CALL).read_bytes())
    function = attrgetter(name)(import_module(module))
    lines = (folder / GIVEN).read_bytes().split(b"\n")
    given = [TypeAdapter(kind).validate_json(line) for kind, line in zip(_kinds(function), lines, strict=False)]
    (folder / RETURNED).write_bytes(_returns(function).dump_json(function(*given)))


def returned(function: Callable[..., Any], folder: Path) -> Any:
    """What a call returned that lay in a folder."""
    return _returns(function).validate_json((folder / RETURNED).read_bytes())


def _kinds(function: Callable[..., Any]) -> list[Any]:
    """The types of what a function takes, of which the last may not be given; a method takes an object of its class."""
    kinds = [kind for name, kind in get_type_hints(function).items() if name != "return"]
    owner = function.__qualname__.rpartition(".")[0]
    return [attrgetter(owner)(import_module(function.__module__)), *kinds] if owner else kinds


def _returns(function: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])
