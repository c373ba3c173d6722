"""The words by which a request demands something, as data: ``data/demands/<tag>.json``.

Every entry is a regular expression for whole words, matched against the folded text (without case, with one kind of
apostrophe). What the fields mean is said at each of them; what follows from a match is the caller's rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .languages import DEFAULT, primary
from .wordlists import folded, read_lists

_NOTHING = re.compile(r"(?!)")


class DemandWords(BaseModel):
    """A data file.

    What demands: ``must``, ``should`` and ``option``, whoever their subject is but a buyer; ``weak``, unless it stands
    in a condition or a description, which ``under`` begins; ``will``, if its subject is a party, looked for behind what
    ``joins`` clauses; ``asks``, if its subject is a buyer; ``begins``, the verbs of sentences that tell somebody what
    to do.

    What takes that back: ``not_asked`` for a whole sentence, ``maybe`` before a cue, ``endured`` behind it, where a
    party only sees the effect, and ``by`` a buyer, unless what the buyer does is ``granted``.

    Who: ``parties`` offer or perform, ``bidders`` are those of them who only offer, ``buyers`` request, and are no
    subject ``beside`` something; ``bodies`` are in the names of public buyers.

    Of what kind: ``judged`` says how offers are judged, unless the buyer is ``free`` to; ``papers`` are filled in,
    signed or certified, and ``handed`` in; ``offers`` are words for what is handed in. ``judging``, ``offering`` and
    ``listing`` are such words in headings, the last for tables whose rows are demands; ``titles`` name a whole request,
    and ``contents`` are headings of what demands nothing.

    ``announces`` is in a sentence before a list, ``conditions`` end one whose list says when, and with ``empty`` words
    alone it says nothing by itself.

    ``short`` has expressions for short names of parties and buyers, with capitals as they are written, and the words
    that each stands for: "der AN" is no preposition.

    In an answer: ``undecided`` leaves something for later, ``negated`` denies it, and ``at_most`` stands before a
    figure that an answer may stay below.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    must: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    should: tuple[str, ...] = ()
    option: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    will: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()
    endured: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    granted: tuple[str, ...] = ()
    parties: tuple[str, ...] = ()
    bidders: tuple[str, ...] = ()
    buyers: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    handed: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    judging: tuple[str, ...] = ()
    offering: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    listing: tuple[str, ...] = ()
    announces: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    negated: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    short: dict[str, str] = {}


@dataclass(frozen=True)
class Demands:
    """The expressions of a language, each for any of the words of its list."""

    must: re.Pattern[str]
    weak: re.Pattern[str]
    under: re.Pattern[str]
    should: re.Pattern[str]
    option: re.Pattern[str]
    maybe: re.Pattern[str]
    will: re.Pattern[str]
    joins: re.Pattern[str]
    asks: re.Pattern[str]
    begins: re.Pattern[str]
    not_asked: re.Pattern[str]
    endured: re.Pattern[str]
    by: re.Pattern[str]
    beside: re.Pattern[str]
    granted: re.Pattern[str]
    parties: re.Pattern[str]
    bidders: re.Pattern[str]
    buyers: re.Pattern[str]
    bodies: re.Pattern[str]
    judged: re.Pattern[str]
    free: re.Pattern[str]
    papers: re.Pattern[str]
    handed: re.Pattern[str]
    offers: re.Pattern[str]
    judging: re.Pattern[str]
    offering: re.Pattern[str]
    titles: re.Pattern[str]
    listing: re.Pattern[str]
    announces: re.Pattern[str]
    conditions: re.Pattern[str]
    empty: re.Pattern[str]
    contents: re.Pattern[str]
    undecided: re.Pattern[str]
    negated: re.Pattern[str]
    at_most: re.Pattern[str]
    short: tuple[tuple[re.Pattern[str], str], ...]

    def spelled(self, text: str) -> str:
        """A text as the expressions are matched against it, with short names of parties and buyers in full."""
        for short, full in self.short:
            text = short.sub(full, text)
        return self.folded(text)

    @staticmethod
    def folded(text: str) -> str:
        """A text as the expressions are matched against it."""
        return folded(text)


@lru_cache(maxsize=32)
def demands(language: str) -> Demands:
    """The expressions of a language, a BCP 47 tag; those of English for a language without a data file."""
    tag = primary(language) or DEFAULT
    words = read_lists(DemandWords, "demands", tag)
    if not words.must:
        words = read_lists(DemandWords, "demands", DEFAULT)
    short = tuple((re.compile(rf"(?<!\w)(?:{name})(?!\w)"), full) for name, full in words.short.items())
    lists = (name for name in DemandWords.model_fields if name != "short")
    return Demands(short=short, **{name: _any_of(getattr(words, name)) for name in lists})


def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else _NOTHING
