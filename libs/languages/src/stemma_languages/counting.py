"""How long a text is, in the unit that a limit of words means."""

from __future__ import annotations

import re

_WRITTEN_WITHOUT_SPACES = re.compile(
    "[\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd]"
)


def count_words(text: str) -> int:
    """The words of a plain text; each Chinese character and each Japanese kana or kanji counts as one.

    That is how word processors count: the characters of the scripts that know no spaces one by one, and what stands
    between spaces as one word if it has a letter or a digit. Punctuation counts nothing.
    """
    others, characters = _WRITTEN_WITHOUT_SPACES.subn(" ", text)
    return characters + sum(any(char.isalnum() for char in piece) for piece in others.split())
