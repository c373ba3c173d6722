"""The words by which a request says how the bid itself has to be, as data: ``data/bids/<tag>.json``.

Every entry is a regular expression for whole words, matched whatever the case. What the fields mean is said at each of
them; what follows from a match is the caller's rule.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from .languages import primary
from .wordlists import NOTHING, read_lists, whole_words

Cue = Annotated[re.Pattern[str], BeforeValidator(lambda words: whole_words(words, re.IGNORECASE))]


class BidWords(BaseModel):
    """The expressions of a language, each for any of the words of its list in the data file.

    ``bids`` are words for the whole of what is handed in, ``parts`` for parts of it, ``bidders`` for who does that;
    ``others`` are what a contract is about. ``handed`` and ``written`` are what is done with a bid. ``form`` is in
    headings above rules about its form, and ``criteria`` above those about how it is judged; ``best`` stands beside the
    most points that a criterion has. ``advised`` makes a rule a wish, ``denied`` makes it none, and ``amends`` is in
    the name of an amendment.

    Limits: ``pages`` and ``words`` are units; ``at_most`` stands before the number, ``or_less`` behind the unit or,
    in an expression that begins with ``^``, between the two. ``numbers`` are numbers in words.

    Form: ``font`` and ``size`` of it, in other places (``tables``); ``sheets`` stand beside A4; ``spacing`` has the
    expressions by the lines that they are; ``copies`` of a bid; ``named`` stands before the name of a file.
    ``languages`` have the names by their tags, as they stand behind ``in_language``.

    ``valid`` says that a bid binds, for ``units`` of time. ``blind`` forbids to name the bidder, ``excludes`` says that
    a bid is rejected, unless the buyer only may or it is denied (``free``), and ``order`` demands an order of chapters.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bids: Cue = NOTHING
    parts: Cue = NOTHING
    bidders: Cue = NOTHING
    others: Cue = NOTHING
    handed: Cue = NOTHING
    written: Cue = NOTHING
    form: Cue = NOTHING
    criteria: Cue = NOTHING
    best: Cue = NOTHING
    advised: Cue = NOTHING
    denied: Cue = NOTHING
    amends: Cue = NOTHING
    pages: Cue = NOTHING
    words: Cue = NOTHING
    at_most: Cue = NOTHING
    or_less: Cue = NOTHING
    limit: Cue = NOTHING
    numbers: Mapping[str, int] = {}
    font: Cue = NOTHING
    size: Cue = NOTHING
    tables: Cue = NOTHING
    sheets: Cue = NOTHING
    spacing: Mapping[str, Cue] = {}
    copies: Cue = NOTHING
    named: Cue = NOTHING
    in_language: Cue = NOTHING
    languages: Mapping[str, Cue] = {}
    valid: Cue = NOTHING
    units: Mapping[str, Cue] = {}
    blind: Cue = NOTHING
    excludes: Cue = NOTHING
    free: Cue = NOTHING
    order: Cue = NOTHING


@lru_cache(maxsize=32)
def bid_words(language: str) -> BidWords:
    """The expressions of a language, a BCP 47 tag; none for a language without a data file."""
    return read_lists(BidWords, "bids", primary(language) or "")
