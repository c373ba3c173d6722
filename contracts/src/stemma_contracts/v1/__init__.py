"""Version 1 of every message. The modules of messages are imported when they are first named."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import answers, events, jobs, outcomes, requests

__all__ = ["answers", "events", "jobs", "outcomes", "requests"]


def __getattr__(name: str) -> Any:
    """Import a module of messages: a program that starts makes none of the classes that it does not use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
