"""A call of a pure function in a process of its own: it lies in a folder, and what it returns is to lie there too."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

CALL, RETURNED = "call.json", "returned.json"
_MODULES = (
    "stemma_client.differences",
    "stemma_client.single_changes",
    "stemma_gateway.texts",
    "stemma_markdown",
)


def prepare() -> None:
    """Import what calls need."""
    for name in _MODULES:
        import_module(name)
    # The first sentences take longer than all others.
    import_module("stemma_client.differences").differences("A word. Another.", "A word. Other.")


def order(function: Callable[..., Any], given: tuple[Any, ...], folder: Path) -> None:
    """Lay a call into a folder."""
    (folder / CALL).write_text(json.dumps([function.__module__, function.__name__, given]), encoding="utf-8")


def run(folder: Path) -> None:
    """Make the call that lies in a folder."""
    module, name, given = json.loads((folder / CALL).read_bytes())
    function = getattr(import_module(module), name)
    (folder / RETURNED).write_bytes(_returns(function).dump_json(function(*given)))


def returned(function: Callable[..., Any], folder: Path) -> Any:
    """What a call returned that lay in a folder."""
    return _returns(function).validate_json((folder / RETURNED).read_bytes())


def _returns(function: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])
