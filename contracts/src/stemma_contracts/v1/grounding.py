"""Where the claims of a text stand: amounts, dates, quantities, names, quotations and citations."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract

ClaimKind = Literal["amount", "date", "quantity", "name", "quotation", "citation"]

ClaimStanding = Literal["input", "brief", "upstream", "computed", "person", "unsupported"]
"""Found in an input, the brief or an upstream section; computed from such; said by a person; none of these."""


class ClaimSource(Contract):
    """A place that a claim stands at, or that it is computed from."""

    standing: Literal["input", "brief", "upstream", "person"]
    name: str = Field(default="", max_length=255, description="file of an input, id of an upstream section")
    heading: str = Field(default="", max_length=200, description="the heading that it is under")
    line: int = Field(ge=1)
    text: str = Field(default="", max_length=200, description="the words that say it there")


class GroundedClaim(Contract):
    """One claim of a text and where it stands; ``how`` tells how it is computed."""

    kind: ClaimKind
    text: str = Field(max_length=300)
    line_number: int = Field(ge=1)
    standing: ClaimStanding
    sources: tuple[ClaimSource, ...] = ()
    how: str = Field(default="", max_length=300)


class GroundingReport(Contract):
    """The body of the artifact ``grounding``: the claims in the order of the text.

    ``left_off`` counts those beyond what a report holds, of which the unsupported ones go first into it. ``unread``
    names what could not be read within the limits of the validator, so that claims that only it says count as
    unsupported.
    """

    claims: tuple[GroundedClaim, ...] = ()
    left_off: int = Field(default=0, ge=0)
    unread: tuple[str, ...] = ()
