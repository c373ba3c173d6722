"""Texts that ask for what comes beside or below them."""

from __future__ import annotations

import re

# What is said of an answer after its question: (max. 250 words).
_REMARK = re.compile(r"\s{0,3}\([^()]{1,80}\)\s{0,3}$")
_WORD = re.compile(r"[^\W\d_]{3}")
_LONGEST_LABEL, _LONGEST_QUESTION = 80, 400


def is_name(text: str) -> bool:
    """Whether a text is a few words that name something, without a mark that asks for it."""
    return len(text) <= _LONGEST_LABEL and bool(_WORD.search(text)) and not text.endswith((".", "!", ";", ","))


def is_label(text: str) -> bool:
    """Whether a text is a question, or a few words with a colon."""
    bare = _REMARK.sub("", text)
    return (bare.endswith("?") and len(text) <= _LONGEST_QUESTION) or (
        text.endswith(":") and len(text) <= _LONGEST_LABEL
    )
