"""Texts that ask for what comes beside or below them."""

from __future__ import annotations

import re

# What is said of an answer after its question: (max. 250 words).
_REMARK = re.compile(r"\s{0,3}\([^()]{1,80}\)\s{0,3}$")
_LONGEST_LABEL, _LONGEST_QUESTION = 80, 400


def is_label(text: str) -> bool:
    """Whether a text is a question, or a few words with a colon."""
    bare = _REMARK.sub("", text)
    return (bare.endswith("?") and len(text) <= _LONGEST_QUESTION) or (
        text.endswith(":") and len(text) <= _LONGEST_LABEL
    )
