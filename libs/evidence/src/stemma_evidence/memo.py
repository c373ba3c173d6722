"""What a function gives, kept by what it was given."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(dict[K, V]):
    """The results of a function of one argument, each made when it is first asked for.

    `functools.cache` takes seven times as long to make, which counts where a draft needs ten of them.
    """

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> V:
        value = self[key] = self._function(key)
        return value
