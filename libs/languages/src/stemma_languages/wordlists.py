"""Lists of words in data files, one for each language, and the expressions that find their words."""

import re
from collections.abc import Iterable
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from .languages import DATA

WIDE = re.compile("[\u3041-\u9fff]")
"""Scripts that put no spaces between words."""
NOTHING = re.compile(r"(?!)")
QUOTES = "\"'“”‘’«»„‚‹›`「」『』《》〈〉"


class WordList(BaseModel):
    """A data file."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Lists = TypeVar("Lists", bound=WordList)


def read_lists(model: type[Lists], folder: str, tag: str) -> Lists:
    """The data file of a language; an empty one for a language without."""
    file = DATA / folder / f"{tag}.json"
    return model.model_validate_json(file.read_bytes()) if file.exists() else model()


def folded(text: str) -> str:
    """A text as words are looked for in it: without case, with one kind of apostrophe."""
    return text.casefold().replace("’", "'")


def any_of(words: Iterable[str]) -> str:
    """The expression for any of some words, the longest first."""
    return "|".join(re.escape(folded(word)) for word in sorted(words, key=len, reverse=True))


def whole_words(expressions: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    """The expression for any of some expressions, as whole words but in scripts that put no spaces between them.

    It is `NOTHING` if there are none. Folded text has "ss" for "ß", and so have they.
    """
    every = [*expressions] if flags & re.IGNORECASE else [one.replace("ß", "ss") for one in expressions]
    wide = "|".join(one for one in every if WIDE.search(one))
    spaced = "|".join(one for one in every if not WIDE.search(one))
    spaced = rf"(?<!\w)(?:{spaced})(?:(?<=')|(?!\w))" if spaced else ""
    return re.compile("|".join(filter(None, (wide, spaced))), flags) if every else NOTHING


def bare(text: str) -> str:
    """Words without the quotation marks around them."""
    text = text.strip()
    quoted = len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES
    return text.strip(QUOTES).strip() if quoted else text


Cue = Annotated[re.Pattern[str], BeforeValidator(whole_words)]
"""Expressions for whole words, matched against the folded text."""
CueInAnyCase = Annotated[re.Pattern[str], BeforeValidator(lambda words: whole_words(words, re.IGNORECASE))]
"""Expressions for whole words, matched whatever the case."""
