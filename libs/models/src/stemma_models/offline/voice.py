"""The voice of a proposal: what a client asks of its contractor, said by the one who offers it."""

from __future__ import annotations

import re

_WHO = r"(?:contractors?|vendors?|suppliers?|consultants?)"
_DUTY = re.compile(rf"^(?:the )?{_WHO} (?:shall|must|will|should) (?=\w)", re.I)
_ANY = re.compile(rf"\b{_WHO}\b", re.I)


def in_our_voice(sentence: str) -> str:
    """``The contractor shall test all code.`` becomes ``We will test all code.``; other sentences stay."""
    said = _DUTY.sub("We will ", sentence)
    return sentence if _ANY.search(said) else said
