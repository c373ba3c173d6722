"""Sentences that tell a writer what to do, as briefs hold them: ``data/instructions/<tag>.json``.

A sentence with one of ``verbs`` at its beginning is one; with one of ``unsure`` (words that are nouns as well) only if
one of ``after`` follows; and what fits one of ``patterns`` is one anywhere. ``polite`` may stand before the verb.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .languages import DEFAULT, primary
from .wordlists import any_of, folded, read_lists

LOOKED_AT = 300
"""Characters of a sentence that are looked at."""

_MARKS = "\"'“”„«»‘’*_`>()[]-–—•·¿¡ \t"


class _Instructions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    polite: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


def is_instruction(sentence: str, language: str) -> bool:
    """Whether a sentence of a brief asks the writer for something, rather than stating it. Questions do not."""
    known = _read(primary(language) or DEFAULT)
    text = folded(" ".join(sentence[:LOOKED_AT].split())).lstrip(_MARKS)
    if text.endswith(("?", "？")):
        return False
    asked = _without(known.polite, text)
    return known.matches(asked) or known.fits(asked) or known.fits(text)


class _Compiled:
    def __init__(self, data: _Instructions) -> None:
        self.polite = tuple(sorted(data.polite, key=len, reverse=True))
        self._begins = _beginning(data.verbs, r"(?!\w)")
        after = rf"[\s,:]+(?:{any_of(data.after)})(?!\w)" if data.after else r"(?!\w)"
        self._may_begin = _beginning(data.unsure, after)
        self._patterns = tuple(re.compile(pattern) for pattern in data.patterns)

    def matches(self, text: str) -> bool:
        """Whether the text begins as an instruction does."""
        return any(pattern is not None and pattern.match(text) for pattern in (self._begins, self._may_begin))

    def fits(self, text: str) -> bool:
        """Whether one of the patterns is in the text."""
        return any(pattern.search(text) for pattern in self._patterns)


def _beginning(words: tuple[str, ...], end: str) -> re.Pattern[str] | None:
    return re.compile(f"(?:{any_of(words)}){end}") if words else None


def _without(polite: tuple[str, ...], text: str) -> str:
    for _ in range(3):
        for word in polite:
            if text.startswith(word) and not text[len(word) : len(word) + 1].isalpha():
                text = text[len(word) :].lstrip(" ,:;")
                break
    return text


@lru_cache(maxsize=32)
def _read(tag: str) -> _Compiled:
    return _Compiled(read_lists(_Instructions, "instructions", tag))
