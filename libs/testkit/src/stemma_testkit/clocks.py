"""Clocks that are wrong: of a service process that is started, or of this one for a while.

Durations are not touched: a machine whose clock is wrong counts seconds as any other.
"""

import datetime as module
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from .customizing import env_of

_NANOSECONDS = 10**9


def clock_env(folder: Path, seconds: int) -> dict[str, str]:
    """What the environment of a process must hold for its clock to be so far ahead, or behind if negative."""
    return env_of(folder, f"from {__name__} import install\n\ninstall({seconds})\n")


def install(seconds: int) -> None:
    _move_time(pytest.MonkeyPatch(), seconds)
    module.datetime = _moved(seconds)  # type: ignore[misc]


@contextmanager
def clock_ahead(seconds: int) -> Iterator[None]:
    """Move the clock of this process for what is loaded of Stemma, and for LangGraph as for a process that starts."""
    with pytest.MonkeyPatch.context() as patch:
        _move_time(patch, seconds)
        patch.setattr("langgraph.checkpoint.base.id._last_v6_timestamp", None)
        for name, loaded in list(sys.modules.items()):
            # Contracts only name the type.
            ours = name.startswith("stemma_") and not name.startswith(("stemma_contracts", __name__))
            if ours and vars(loaded).get("datetime") is datetime:
                patch.setattr(loaded, "datetime", _moved(seconds))
        yield


def _move_time(patch: pytest.MonkeyPatch, seconds: int) -> None:
    now, now_ns = time.time, time.time_ns
    patch.setattr(time, "time", lambda: now() + seconds)
    patch.setattr(time, "time_ns", lambda: now_ns() + seconds * _NANOSECONDS)


def _moved(seconds: int) -> type[datetime]:
    by = timedelta(seconds=seconds)

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, datetime)

    class Moved(datetime, metaclass=Kind):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + by

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
            return core_schema.datetime_schema()

    return Moved
