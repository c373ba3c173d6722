"""Words, stems and key terms of a text; all pure, all independent of the machine."""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

STOPWORDS = frozenset(
    """a about above across after again against all along already also although always among an and another any are
    around as at away be because been before being below besides between both but by can cannot could did do does done
    down during each either else enough even ever every few first for from further get gets give given gives had has
    have having he her here hers him his how however i if in including into is it its itself just keep kept last least
    less let like made make makes many may me might more most much must my near need needs neither next no nor not now
    of off often on once one only onto or other others our ours out over own per rather same second several shall she
    should since so some such take taken takes than that the their theirs them themselves then there these they this
    those three through thus to today too toward towards two under until up upon us use used uses using very via was
    way we well were what when where whether which while who whole whom whose why will with within without would yet
    you your yours""".split()
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A short common form of an English word: ``deliveries`` and ``delivering`` give ``deliver``."""
    for ending, least in (("ational", 4), ("ements", 4), ("ement", 4), ("ations", 4), ("ation", 4), ("ings", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "ers", "er", "es", "y", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, in their order."""
    return WORD.findall(text.lower())


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in their order."""
    return [stem(word) for word in words_of(text) if word not in STOPWORDS and (len(word) > 2 or word.isdigit())]


@lru_cache(maxsize=64)
def stems_of(text: str) -> frozenset[str]:
    """The different stems of a text."""
    return frozenset(content_stems(text))


def join_words(items: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
