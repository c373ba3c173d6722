"""Rules of a tender: how to hand in an offer, how offers are judged, what a contract says in general.

They stand in a request for proposals among its material, and nothing of a proposal is made of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

_BIDDERS = r"(?:offerors?|bidders?|tenderers?|proposers?)"
_WORDS = re.compile(
    rf"\b(?:{_BIDDERS}|proposals?|RFPs?|bids?|solicitation|protests?|page limit\w*|procurement officers?|hereto|"
    r"undersigned|résumés?|points|preferences?)\b"
    r"|\b(?:previous|following) sentence\b|\bfound here\b|\bis as follows\b|\breceipt of (?:questions|proposals)\b"
    r"|\bnot (?:be )?required to handle\b|\bwill be as follows\b|\breserves the right\b",
    re.I,
)
_TO_THE_WRITER = re.compile(
    r"(?:[\w ]{1,40} - )?(?:please|write|draft|describe|discuss|explain|submit|see|refer to|for more|keep it|note)\b",
    re.I,
)
_FORMAL_HEADING = re.compile(
    rf"\b(?:{_BIDDERS}|return instructions|required review|questions prior|receipt of|responsiveness|"
    r"(?:proposals?|bids?) (?:contents?|format|as|evaluation)|alternate proposals|cost proposal|disclosure|"
    r"amendments?|news releases?|evaluation criteria|contractor selection|selection|preferences?|points|protests?|"
    r"debriefing|negotiat\w+|notification|clarification|rejection|disputes?|severability|assignment|"
    r"general (?:process|legal) information|legal information|(?:general|contract) provisions|supplemental terms|"
    r"terms and conditions|exhibits?|agreement form|indemni\w+|insurance|debarment|certification|"
    r"termination|non-?disclosure|confidentiality|joint ventures?|subcontract\w*|data rights|licens\w+|"
    r"(?:proposed|prompt|contract) payments?|payment (?:procedures|of taxes)|contract (?:changes|cost|negotiations)|"
    r"reimbursement|force majeure|verbal presentation|presentation (?:date|location|participants)|"
    r"similar experience|business associate|brief explanation|location of work|conflict of interest|"
    r"covenants?|recitals|governing law|trafficking|preparation costs|advertising|invalidation|how to apply)\b",
    re.I,
)
_OF_TENDERS = re.compile(rf"\b{_BIDDERS}\b", re.I)
_ENOUGH = 5


def is_procedure(text: str) -> bool:
    """Whether a text is about how to hand in a proposal: rules for the writer, nothing to write."""
    return _WORDS.search(text) is not None or is_instruction(text)


def is_instruction(text: str) -> bool:
    """Whether a text tells its reader what to write or where to look."""
    return _TO_THE_WRITER.match(text) is not None


@lru_cache(maxsize=1024)
def is_formal(headings: tuple[str, ...]) -> bool:
    """Whether what stands under these headings, outermost first, is a rule of the tender or a contract clause."""
    return any(_FORMAL_HEADING.search(heading) for heading in headings)


def is_of_tender(text: str) -> bool:
    """Whether a document asks others for an offer."""
    return len(list(islice(_OF_TENDERS.finditer(text), _ENOUGH))) == _ENOUGH
