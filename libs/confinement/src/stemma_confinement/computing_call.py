"""A call of a pure function in a process of its own: it lies in a folder, and what it returns is to lie there too."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

CALL, GIVEN, RETURNED = "call.json", "given.json", "returned.json"
_ANYTHING = TypeAdapter[Any](Any)


def order(function: Callable[..., Any], given: tuple[Any, ...], folder: Path) -> None:
    """Lay a call into a folder."""
    (folder / CALL).write_text(json.dumps([function.__module__, function.__name__]), encoding="utf-8")
    (folder / GIVEN).write_bytes(b"\n".join(map(_ANYTHING.dump_json, given)))


def run(folder: Path) -> None:
    """Make the call that lies in a folder."""
    module, name = json.loads((folder / CALL).read_bytes())
    function = getattr(import_module(module), name)
    lines = (folder / GIVEN).read_bytes().split(b"\n")
    given = [TypeAdapter(kind).validate_json(line) for kind, line in zip(_kinds(function), lines, strict=False)]
    (folder / RETURNED).write_bytes(_returns(function).dump_json(function(*given)))


def returned(function: Callable[..., Any], folder: Path) -> Any:
    """What a call returned that lay in a folder."""
    return _returns(function).validate_json((folder / RETURNED).read_bytes())


def _kinds(function: Callable[..., Any]) -> list[Any]:
    """The types of what a function takes, of which the last may not be given."""
    return [kind for name, kind in get_type_hints(function).items() if name != "return"]


def _returns(function: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])
