"""Names that word processors give to their own styles in each language: ``data/styles/<tag>.json``."""

import re
from collections.abc import Mapping
from functools import cache

from .languages import shipped
from .wordlists import WordList, folded, read_lists

_NUMBERED = ("heading", "toc")
_NUMBER = re.compile(r"(.+?)\s?([1-9])")


class _StyleNames(WordList):
    """A data file: for the English name of a style those that it has; ``heading`` and ``toc`` stand without level."""

    names: Mapping[str, tuple[str, ...]] = {}


def english_style(name: str) -> str:
    """The English name of a style that a word processor named in another language; empty if it is none of those."""
    said = folded(name)
    if found := _NUMBER.fullmatch(said):
        english = _english(is_numbered=True).get(found[1])
        return f"{english} {found[2]}" if english else ""
    return _english(is_numbered=False).get(said, "")


@cache
def _english(*, is_numbered: bool) -> Mapping[str, str]:
    lists = [read_lists(_StyleNames, "styles", tag).names for tag in shipped()]
    found = [(name, english) for one in lists for english, names in one.items() for name in names]
    return {folded(name): english for name, english in found if (english in _NUMBERED) is is_numbered}
