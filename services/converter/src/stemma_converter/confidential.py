"""Passages that are confidential are blanked in a text, in which nothing else moves: places stay what they are."""

import re

_WIDE = "\u3041-\u9fff"
"""Letters of scripts that put no spaces between words: each is a word of its own."""
_WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_SIGNS = re.compile(r"[^\w\s|]*")
_MOST_SIGNS = 20
_BETWEEN = "\0"


def without(text: str, passage: str) -> str:
    """A text with spaces in place of a passage, wherever its words stand in a row, with the signs around them."""
    found = list(_WORD.finditer(text))
    wanted = [match.group().casefold() for match in _WORD.finditer(passage)]
    joined, sought = _joined([match.group().casefold() for match in found]), _joined(wanted)
    pieces, done, first, at, after = list[str](), 0, 0, 0, joined.find(sought) if wanted else -1
    while after >= 0:
        first, at = first + joined.count(_BETWEEN, at, after), after
        start, end = found[first].start(), found[first + len(wanted) - 1].end()
        start, end = max(_begin(text, start), done), end + len(_SIGNS.findall(text[end : end + _MOST_SIGNS])[0])
        pieces += (text[done:start], re.sub(r"\S", " ", text[start:end]))
        done, after = max(end, done), joined.find(sought, at + 1)
    return "".join((*pieces, text[done:]))


def _begin(text: str, start: int) -> int:
    while start and not (text[start - 1].isalnum() or text[start - 1].isspace() or text[start - 1] in "_|"):
        start -= 1
    return start


def _joined(words: list[str]) -> str:
    return _BETWEEN + "".join(word + _BETWEEN for word in words)
