"""What a refused login tells: somebody answered the server with no, or nobody answered it."""

import time
from collections.abc import Callable

from nats.errors import AuthorizationError

UNANSWERED_AFTER_S = 1.5
MOST_REFUSALS = 5


class Admittance:
    """Whether one connection is let in, attempt after attempt.

    The server says the same to all whom it refuses. But who is known to the admission or not is answered within
    milliseconds, and where no admission runs, the server refuses when it has waited for 2 s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.unanswered = False
        self._clock = clock
        self._was_in = False
        self._denied = 0
        self.begin()

    @property
    def is_over(self) -> bool:
        """Whether who was in is answered with no again and again, as somebody who went is."""
        return self._was_in and self._denied >= MOST_REFUSALS

    def begin(self) -> None:
        """An attempt begins."""
        self._since = self._clock()

    def admitted(self) -> None:
        """The connection is in."""
        self.unanswered, self._was_in, self._denied = False, True, 0

    def failed(self, error: Exception) -> None:
        """An attempt ended with an error, and another one begins."""
        if is_refusal(error):
            self.unanswered = self._clock() - self._since >= UNANSWERED_AFTER_S
            self._denied += not self.unanswered
        self.begin()


def is_refusal(error: Exception | None) -> bool:
    """Whether the server refused the credentials."""
    return isinstance(error, AuthorizationError) or "authorization violation" in str(error).lower()
