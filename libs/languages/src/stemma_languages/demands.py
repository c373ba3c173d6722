"""The words by which a request demands something, as data: ``data/demands/<tag>.json``.

Every entry is a regular expression for whole words, matched against the folded text (without case, with one kind of
apostrophe). What the fields mean is said at each of them; what follows from a match is the caller's rule.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from .languages import DEFAULT, primary
from .wordlists import NOTHING, Cue, WordList, folded, read_lists, whole_words


def _short_names(names: dict[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((whole_words([name]), full) for name, full in names.items())


class Demands(WordList):
    """The expressions of a language, each for any of the words of its list in the data file.

    What demands: ``must``, ``should`` and ``option``, whoever their subject is but a buyer; what only ``prefers``
    something makes a wish of any other; ``weak``, unless it stands in a condition or a description, which ``under``
    begins; ``will``, if its subject is a party, looked for behind what ``joins`` clauses; ``asks``, if its subject is a
    buyer; ``begins``, the verbs of sentences that tell somebody what to do.

    A language ``inverts`` if a main clause behind a comma begins with its verb.

    What takes that back: ``not_asked`` for a whole sentence, ``maybe`` before a cue, ``endured`` behind it, where a
    party only sees the effect, and ``by`` a buyer, unless what the buyer does is ``granted``.

    Who: ``parties`` offer or perform, ``bidders`` are those of them who only offer, ``buyers`` request, and are no
    subject ``beside`` something; ``bodies`` are in the names of public buyers.

    Of what kind: ``judged`` says how offers are judged, unless the buyer is ``free`` to; ``papers`` are filled in,
    signed or certified, and ``handed`` in; ``offers`` are words for what is handed in. ``judging``, ``offering`` and
    ``listing`` are such words in headings, the last for tables whose rows are demands; ``titles`` name a whole request,
    and ``contents`` are headings of what demands nothing.

    ``works`` are headings of what says how the work is done, where what ``states`` something demands it, unless a word
    ``tells`` how things are; ``told`` are headings of what only informs. What is ``addressed`` is asked to answer.

    ``announces`` is in a sentence before a list, ``comprises`` stands there between a whole and its parts,
    ``conditions`` end one whose list says when, and with ``empty`` words alone it says nothing by itself.

    ``short`` has expressions for short names of parties and buyers, with capitals as they are written, and the words
    that each stands for: "der AN" is no preposition.

    In a table: ``graded`` names a column that says how strictly each row is meant, and ``grades`` what stands there;
    ``ticks`` mark the column of a grade. Of questions and answers, ``asked`` and ``answered`` are the labels.

    In an amendment: ``places`` are words for sections, before their number, which are ``deleted`` or ``replaced``.

    In an answer: ``undecided`` leaves something for later, ``negated`` denies it, and ``at_most`` stands before a
    figure that an answer may stay below.
    """

    must: Cue = NOTHING
    weak: Cue = NOTHING
    under: Cue = NOTHING
    prefers: Cue = NOTHING
    should: Cue = NOTHING
    option: Cue = NOTHING
    maybe: Cue = NOTHING
    will: Cue = NOTHING
    joins: Cue = NOTHING
    inverts: bool = False
    asks: Cue = NOTHING
    begins: Cue = NOTHING
    not_asked: Cue = NOTHING
    endured: Cue = NOTHING
    by: Cue = NOTHING
    beside: Cue = NOTHING
    granted: Cue = NOTHING
    parties: Cue = NOTHING
    bidders: Cue = NOTHING
    buyers: Cue = NOTHING
    bodies: Cue = NOTHING
    judged: Cue = NOTHING
    free: Cue = NOTHING
    papers: Cue = NOTHING
    handed: Cue = NOTHING
    offers: Cue = NOTHING
    judging: Cue = NOTHING
    offering: Cue = NOTHING
    titles: Cue = NOTHING
    listing: Cue = NOTHING
    announces: Cue = NOTHING
    conditions: Cue = NOTHING
    empty: Cue = NOTHING
    contents: Cue = NOTHING
    works: Cue = NOTHING
    told: Cue = NOTHING
    states: Cue = NOTHING
    tells: Cue = NOTHING
    addressed: Cue = NOTHING
    comprises: Cue = NOTHING
    undecided: Cue = NOTHING
    negated: Cue = NOTHING
    at_most: Cue = NOTHING
    graded: Cue = NOTHING
    grades: Mapping[str, Literal["mandatory", "should", "option"]] = {}
    ticks: Cue = NOTHING
    asked: Cue = NOTHING
    answered: Cue = NOTHING
    places: Cue = NOTHING
    deleted: Cue = NOTHING
    replaced: Cue = NOTHING
    short: Annotated[tuple[tuple[re.Pattern[str], str], ...], BeforeValidator(_short_names)] = ()

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
    found = read_lists(Demands, "demands", primary(language) or DEFAULT)
    return read_lists(Demands, "demands", DEFAULT) if found.must is NOTHING else found
