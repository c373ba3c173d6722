"""On which versions a text rests, and why it is stale."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract, Explicit
from stemma_contracts.tokens import Digest, Token

from .inputs import MOST_CHANGED_PARTS, MOST_USED_PARTS, ChangedInput, Fingerprint
from .ledger import RequirementChange

MOST_NAMED_MARKS = 20
"""In one reason."""


class TextDifference(Contract):
    """What a version of a section changed in the one before, by the marks that `stemma_markdown.marked` gives that."""

    base: Digest = Field(description="of the text before")
    touched: tuple[Fingerprint, ...] = Field(
        default=(), max_length=MOST_CHANGED_PARTS, description="of what says something else, or is gone"
    )
    extended: tuple[Fingerprint, ...] = Field(
        default=(), max_length=MOST_CHANGED_PARTS, description="of nothing more being below, where now something is"
    )
    followed: dict[Fingerprint, Fingerprint] = Field(
        default={}, max_length=MOST_CHANGED_PARTS, description="those that have another mark now, with that"
    )


class UsedUpstream(Contract):
    """What of a version of an upstream section a text rests on, by its marks; with ``whole`` any of it may be meant.

    Where no marks were found, it may be any of what is said there, but nothing that is added.
    """

    section_id: Token
    version: int = Field(ge=1)
    marks: tuple[Fingerprint, ...] = Field(default=(), max_length=MOST_USED_PARTS)
    whole: bool = False


class ChangedUpstream(Contract):
    """A section whose change made others stale, in the version that it had."""

    section_id: Token
    version: int = Field(ge=1)


class UpstreamVersion(Contract):
    """The version of a direct upstream section that a draft rests on; 0: nothing was written there yet.

    With ``stale`` a person kept the draft although the upstream was stale itself, because of ``stale_because`` (in old
    logs empty: whatever made it so). Once something else makes the upstream stale, the draft is stale again.
    """

    section_id: Token
    version: int = Field(ge=0)
    stale: bool = Field(default=False, description="it was stale itself, and a person kept the draft against it")
    stale_because: tuple[ChangedUpstream, ...] = Field(default=(), description="what had made it stale")


class StaleReason(Explicit):
    """Why a section is stale: an upstream has another text than the one it rests on, or is stale itself.

    The versions tell which; they are the same where nothing that the section uses is another.
    """

    always_sent = ("upstream_stale",)

    upstream_section_id: Token
    accepted_version: int = Field(ge=0, description="the version that the section rests on")
    current_version: int = Field(ge=0)
    upstream_stale: bool = Field(default=False, description="the upstream is stale itself")
    marks: tuple[Fingerprint, ...] = Field(
        default=(), max_length=MOST_NAMED_MARKS, description="of what it uses and what changed; absent: not known"
    )


class Because(Contract):
    """Why a section is stale: upstream sections (``reasons``), what changed of the inputs that it rests on, and rows of
    the ledger that it was not written for as they are.
    """

    reasons: tuple[StaleReason, ...] = ()
    inputs: tuple[ChangedInput, ...] = ()
    requirements: tuple[RequirementChange, ...] = ()


class StaleMark(Explicit, Because):
    """A section that an event made stale, why, and what a person can do about it."""

    always_sent = ("options",)

    section_id: Token
    reasons: tuple[StaleReason, ...]
    options: tuple[Literal["keep", "regenerate"], ...] = ("keep", "regenerate")
