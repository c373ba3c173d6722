"""What every event carries. ``starts`` names the sections that the event sets to work."""

from pydantic import Field, StrictBool

from stemma_contracts.base import Contract, Explicit
from stemma_contracts.tokens import Digest, Token
from stemma_contracts.v1.asked import Actor
from stemma_contracts.v1.staleness import StaleMark, TextDifference
from stemma_contracts.v1.usage import Usage


class Event(Contract):
    """What every event carries: the request behind it, if a request led to it directly."""

    request_id: Token | None = None
    request_digest: Digest | None = None
    actor: Actor | None = None
    actor_verified: StrictBool = Field(
        default=False, description="whether the server knew the actor; else it is claimed"
    )
    starts: tuple[Token, ...] = Field(default=(), description="sections that begin to be generated")
    makes_stale: tuple[StaleMark, ...] = Field(default=(), description="sections that the event makes stale")
    clears_stale: tuple[Token, ...] = Field(default=(), description="sections that are not stale any more")


class SectionEvent(Event):
    """An event about one section."""

    section_id: Token


class TextEvent(SectionEvent, Explicit):
    """An event that gives a section a text: it always says which sections that makes stale, also when it is none."""

    always_sent = ("makes_stale",)

    difference: TextDifference | None = Field(
        default=None, description="from the version before; absent: not known, so that all of it may have changed"
    )


class PaidEvent(Event):
    """An event that tells what model calls cost: how much more that is than the document cost before."""

    usage: Usage = Usage()
    usage_before: Usage | None = Field(
        default=None, description="of the document, where this event adds to it; not in old logs"
    )
