"""The answer to a request in words or as JSON."""

from __future__ import annotations

from typing import Any

from stemma_contracts.v1.answers import RequestAccepted

from .output import say, say_json


def tell_answer(accepted: RequestAccepted, words: str, *, as_json: bool, **more: Any) -> None:
    """One line: what was done, or the answer with ``more`` in it."""
    if as_json:
        say_json(accepted.model_dump(mode="json") | more)
    else:
        say(words)
