"""The words by which a draft answers a demand, or leaves it open, as data: ``data/answers/<tag>.json``.

Every entry is a regular expression for whole words, matched against the folded text.
"""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .demands import Cue
from .languages import DEFAULT, primary
from .wordlists import NOTHING, read_lists


class AnswerCues(BaseModel):
    """The expressions of a language.

    In an answer: ``we`` as its subject, anywhere, and ``our`` near its beginning are the voice of the bidder.
    ``doubts`` make it uncertain: a possibility, a refusal, an exception, the past, another place, an empty promise.
    In a demand: ``at_least`` says that a figure may be exceeded, ``told`` that it wants a description or a paper,
    which a promise does not replace. In both: ``none`` says that something is not there, ``earlier`` and ``later``
    that something comes before or after something else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    we: Cue = NOTHING
    our: Cue = NOTHING
    doubts: Cue = NOTHING
    at_least: Cue = NOTHING
    none: Cue = NOTHING
    earlier: Cue = NOTHING
    later: Cue = NOTHING
    told: Cue = NOTHING


@lru_cache(maxsize=32)
def answer_cues(language: str) -> AnswerCues:
    """The expressions of a language, a BCP 47 tag; none for a language without a data file."""
    return read_lists(AnswerCues, "answers", primary(language) or DEFAULT)
