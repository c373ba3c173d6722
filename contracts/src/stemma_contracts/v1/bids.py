"""What a request says about the bid itself, and how an exported file holds to it."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

BidRuleKind = Literal[
    "page_limit",
    "word_limit",
    "paper",
    "font_size",
    "font",
    "line_spacing",
    "file_format",
    "file_name",
    "copies",
    "language",
    "validity",
    "blind",
    "exclusion",
    "criterion",
    "order",
]
"""Of ``exclusion`` and ``order`` the quotation says what it is. A ``criterion`` has its name as ``part`` and its weight
as ``number``; ``blind`` forbids to name the bidder."""

MOST_BID_RULES = 300
MOST_PART = 200
MOST_VALUE = 100
MOST_VALUES = 50
Value = Annotated[str, Field(min_length=1, max_length=MOST_VALUE)]


class BidRule(Contract):
    """A rule for the bid at one place of a source."""

    rule_id: Token = Field(description="B1, B2 and so on, in the order of the sources; of one reading")
    kind: BidRuleKind
    part: str = Field(default="", max_length=MOST_PART, description="of the bid, as it is named; empty: the whole")
    number: float | None = Field(default=None, ge=0, description="of pages, words, points, days, percent")
    unit: Literal["", "days", "weeks", "months", "percent", "points"] = ""
    values: tuple[Value, ...] = Field(
        default=(),
        max_length=MOST_VALUES,
        description="what is allowed: `A4`, `letter`, `pdf`, `docx`, `Arial`, `en`, a name; of an order its chapters",
    )
    advised: StrictBool = Field(default=False, description="the request only recommends it")
    source: FileName = Field(description="the input that it stands in")
    line: int = Field(ge=1, description="where its words begin in the text of the source")
    place: str = Field(default="", max_length=300, description="as the file is cited: `p. 12`, `Prices!A2:F9`")
    quote: str = Field(min_length=1, max_length=2000, description="verbatim, its words one space apart")
    contradicts: tuple[Token, ...] = Field(default=(), max_length=20, description="rules with another value")
    replaced_by: str = Field(
        default="", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="the rule of an amendment that says otherwise"
    )


class BidRules(Contract):
    """The rules for the bid that the sources have, in their order."""

    found: tuple[BidRule, ...] = Field(default=(), max_length=MOST_BID_RULES)
    more: int = Field(default=0, ge=0, description="rules beyond those that are kept")


class RuleCheck(Contract):
    """Whether an exported file keeps a rule.

    ``kind`` is open: a reader shows one that it does not know as it is. What no program can tell is ``to_see`` by a
    person. ``wanted`` and ``measured`` are values such as ``5`` and ``A4, letter``, ``measured`` empty where nothing
    was.
    """

    rule_id: Token
    kind: Token
    state: Literal["kept", "broken", "to_see"]
    part: str = Field(default="", max_length=MOST_PART)
    wanted: str = Field(default="", max_length=300)
    measured: str = Field(default="", max_length=300)


RuleChecks = Annotated[
    tuple[RuleCheck, ...],
    Field(max_length=MOST_BID_RULES, description="the rules for the bid, and how the file holds to each"),
]
