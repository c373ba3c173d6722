"""The voice of a proposal: what a client asks of its contractor, said by the one who offers it."""

from __future__ import annotations

import re

_WHO = r"(?:contractors?|vendors?|suppliers?|consultants?|offerors?|bidders?|tenderers?)"
_MODAL = r"(?:shall|must|will|should|agrees to)"
_DUTY = re.compile(rf"(?:the |each |any )?{_WHO}(?:['’]s? team)? {_MODAL}(?: also)?(?=\s|:)", re.I)
_STEPS = (
    (re.compile(rf"\b(?:the |each )?{_WHO}['’]s?(?=\s)", re.I), "our"),
    (re.compile(rf"\b(by|to|for|from|with|of|on) (?:the )?{_WHO}\b", re.I), r"\1 us"),
    (re.compile(rf"\bthe {_WHO} (?=shall|must|will|should|may|can\b)", re.I), "we "),
    (re.compile(r"\btheir (?=propos)", re.I), "our "),
)
_WHO_WORD = re.compile(rf"{_WHO}\b", re.I)
_UNRESOLVED = re.compile(rf"\b(?:the|each|any) {_WHO}\b|\bour proposal\b", re.I)
_CLIENT = re.compile(r"\b(?:we|our|ours|us|let[’']s|I|my)\b", re.I)
_ADDRESS = re.compile(r"\byou(?:rs?)?\b|!", re.I)
_SPOKEN = re.compile(r"(?:so|and|but|ok)\b[,\s]|…", re.I)
_QUOTE_MARKS = ('"', "“", "‘", "«")


def in_our_voice(sentence: str) -> str:
    """``The contractor shall test all code.`` becomes ``We will test all code.``; other sentences stay."""
    duty = _DUTY.match(sentence)
    if not duty:
        return sentence
    said = f"We will{sentence[duty.end() :]}"
    for pattern, words in _STEPS:
        said = pattern.sub(words, said)
    return sentence if is_unresolved(said) else said


def is_unresolved(sentence: str) -> bool:
    """Whether a sentence speaks of the contractor as of somebody else."""
    return _WHO_WORD.match(sentence) is not None or _UNRESOLVED.search(sentence) is not None


def is_of_client(sentence: str) -> bool:
    """Whether the one who wrote a sentence speaks of themselves; speech in quotation marks does not count."""
    return not sentence.startswith(_QUOTE_MARKS) and _CLIENT.search(sentence) is not None


def is_address(sentence: str) -> bool:
    """Whether a sentence talks to its reader, as a call for offers does."""
    return not sentence.startswith(_QUOTE_MARKS) and bool(_SPOKEN.match(sentence) or _ADDRESS.search(sentence))
