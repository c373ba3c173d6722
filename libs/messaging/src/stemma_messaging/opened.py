"""What the lifespan of an application opens, for handlers that are registered before it is there."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Opened(Generic[T]):
    """Is given what handlers work with, and gives it to them; nothing is handled before."""

    def __init__(self) -> None:
        self._given: T | None = None

    def give(self, what: T) -> None:
        """From now on this is what handlers work with."""
        self._given = what

    def __call__(self) -> T:
        """What was given; raises `RuntimeError` before."""
        if self._given is None:
            raise RuntimeError("the lifespan of the application has not opened yet what handlers work with")
        return self._given
