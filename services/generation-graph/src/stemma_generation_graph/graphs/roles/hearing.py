"""Keeping what a role has said so far, so that it is not lost when the role is cut off."""

from __future__ import annotations

import re

from stemma_models import Meter

_SENTENCE_END = re.compile(r"[.!?:|][\"'”’)*_`]*(?=\s|\Z)")

_OPEN_FENCE = re.compile(r"\A```\w*\n")
"""Around a whole answer; one that is cut has no end of it."""


class Heard:
    """The tokens of the attempt that is under way; a retry says everything again."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._attempt = 0
        self._tokens: list[str] = []

    async def __call__(self, token: str) -> None:
        """Take in a token."""
        if self._meter.total.calls != self._attempt:
            self._attempt = self._meter.total.calls
            self._tokens.clear()
        self._tokens.append(token)

    @property
    def finished(self) -> str:
        """All up to the end of the last sentence."""
        text = _OPEN_FENCE.sub("", "".join(self._tokens), count=1)
        ends = [found.end() for found in _SENTENCE_END.finditer(text)]
        return text[: ends[-1]] if ends else ""
