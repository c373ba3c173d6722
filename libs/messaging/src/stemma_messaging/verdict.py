"""What becomes of a delivered message: the one place that decides."""

import asyncio
from dataclasses import dataclass

from .errors import ForAnotherWorker, ForeignMessage, GivenUp, InvalidMessage, PutOff, TakenOver

LONGEST_DELAY_S = 300.0
LONGEST_WAY_S = 30.0
"""How long a message waits at most before another worker may have it."""
RELEASE_DELAY_S = 0.5
FOREIGN = "foreign"


@dataclass(frozen=True)
class Ack:
    """The message is done."""


@dataclass(frozen=True)
class RetryLater:
    """The message comes again after ``delay_s`` seconds, here or elsewhere."""

    delay_s: float


@dataclass(frozen=True)
class DeadLetter:
    """The message is put aside for people; ``reason`` is ``invalid``, ``foreign`` or ``exhausted``."""

    reason: str


@dataclass(frozen=True)
class Leave:
    """The message is another process's, which settles it; if that one dies, it comes again."""


@dataclass(frozen=True)
class PutBack:
    """The message is put into its queue anew, with all its deliveries before it: none was a try."""


Verdict = Ack | RetryLater | DeadLetter | Leave | PutBack


def verdict_for(
    error: BaseException | None, deliveries: int, max_deliver: int, retry_base_s: float, put_back: int = 0
) -> Verdict:
    """Decide by what the handler raised, how often the message came, and how often it was ``put_back`` before.

    The last but one delivery is the last to be tried: after ``max_deliver`` the server is silent for ever, and
    one delivery is kept for a process that dies over the message. ``max_deliver`` below 1 means no bound.
    """
    match error:
        case None:
            return Ack()
        case TakenOver():
            return Leave()
        case ForeignMessage():
            return DeadLetter(FOREIGN)
        case InvalidMessage():
            return DeadLetter("invalid")
        case ForAnotherWorker() if deliveries > 1:
            return PutBack()
        case ForAnotherWorker():
            return RetryLater(min(LONGEST_WAY_S, retry_base_s * 2 ** min(put_back, 20)))
        case PutOff(delay_s=delay_s):
            return RetryLater(delay_s)
        case GivenUp():
            return DeadLetter("exhausted")
        case asyncio.CancelledError():
            return RetryLater(RELEASE_DELAY_S)
        case _ if 0 < max_deliver <= deliveries + 1:
            return DeadLetter("exhausted")
        case _:
            return RetryLater(min(LONGEST_DELAY_S, retry_base_s * 2 ** min(deliveries - 1, 20)))
