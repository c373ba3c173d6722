"""Where the claims of a text stand: amounts, dates, quantities, names, quotations and citations."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token

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
    place: str = Field(default="", max_length=300, description="as it is cited: `p. 12`, `Prices!A2:F9`")


class GroundedClaim(Contract):
    """One claim of a text and where it stands; ``how`` tells how it is computed."""

    kind: ClaimKind
    text: str = Field(max_length=300)
    line_number: int = Field(ge=1)
    standing: ClaimStanding
    sources: tuple[ClaimSource, ...] = ()
    how: str = Field(default="", max_length=300)


class DoubtedStatement(Contract):
    """A sentence that says otherwise than the sources, or that promises what none says."""

    text: str = Field(max_length=300)
    line_number: int = Field(ge=1)
    why: str = Field(max_length=64, description="what differs: quantifier, negation, time, rate, figure and so on")
    soft: bool = Field(default=False, description="perhaps only the words differ: no issue is made of it")
    source: ClaimSource | None = Field(default=None, description="the sentence that is closest to it")


class CitedPlace(Contract):
    """A place of an input that a text rests on, as it is cited: `rfq.pdf, p. 12`."""

    input_id: Token
    name: str = Field(max_length=255, description="the file")
    kind: str = Field(default="", max_length=64, description="of its anchor: page, heading, sheet and so on")
    label: str = Field(default="", max_length=300, description="of its anchor; empty: only the file is known")
    line: int = Field(ge=1, description="of what was read of the file")
    text: str = Field(default="", max_length=200, description="how the words begin that are there")


class CitedText(Contract):
    """A sentence, or a row of a table, that rests on inputs; ``start`` and ``end`` count characters of the text."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    line_number: int = Field(ge=1)
    text: str = Field(default="", max_length=200, description="how it begins")
    places: tuple[CitedPlace, ...] = ()


class GroundingReport(Contract):
    """The body of the artifact ``grounding``: the claims in the order of the text.

    ``left_off`` counts those beyond what a report holds, of which the unsupported ones go first into it. ``unread``
    names what could not be read within the limits of the validator, so that claims that only it says count as
    unsupported. ``statements`` are sentences that differ from the sources. ``cited`` are the sentences that rest on
    inputs, ``draft`` the text that they are counted in.
    """

    claims: tuple[GroundedClaim, ...] = ()
    statements: tuple[DoubtedStatement, ...] = ()
    left_off: int = Field(default=0, ge=0)
    unread: tuple[str, ...] = ()
    cited: tuple[CitedText, ...] = ()
    draft: Digest | None = None
