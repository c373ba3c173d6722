"""Links that sign a browser in: each is good once, for a minute, at the process that made it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .limits import Owner

GOOD_FOR_S = 60.0
MOST, OF_ONE_CALLER = 1000, 10
"""Links that are kept; beyond it the oldest are forgotten."""


@dataclass(frozen=True)
class Invitation:
    """Who is signed in by a link, where the browser goes on to, and until when."""

    owner: Owner
    token: str = field(repr=False)
    path: str
    ends_at: float


class Links:
    """The links of one process that nobody has followed yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, Invitation] = {}

    def make(self, owner: Owner, token: str, path: str) -> str:
        """A word that stands for the token of an owner, once."""
        self._forget(owner)
        code = secrets.token_urlsafe(32)
        self._open[code] = Invitation(owner, token, path, self._clock() + GOOD_FOR_S)
        return code

    def take(self, code: str) -> Invitation | None:
        """What a word stands for; None if it was taken before, is too old, or was never made here."""
        invitation = self._open.pop(code, None)
        return invitation if invitation and invitation.ends_at > self._clock() else None

    def _forget(self, owner: Owner) -> None:
        """They are in the order of their ends: what is over is in front."""
        own = [code for code, invitation in self._open.items() if invitation.owner == owner]
        if len(own) >= OF_ONE_CALLER:
            del self._open[own[0]]
        for code in list(self._open):
            if len(self._open) < MOST and self._open[code].ends_at > self._clock():
                return
            del self._open[code]
