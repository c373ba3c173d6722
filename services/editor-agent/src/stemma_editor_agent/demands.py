"""What code can check of an instruction: whether the text changed as it asks, and in nothing else.

| form | what is checked |
|---|---|
| ``Delete the heading X`` | that heading is gone, and nothing else changed |
| ``Remove the sentence about X`` | something that speaks of X is gone, and nothing was added |
| ``Replace X by Y`` | Y stands where X stood; else only numbers changed |
| ``Mention X``, ``Add a sentence about X`` | what was added or changed speaks of X, and no sentence is gone |
| ``Shorten ...`` | the text has fewer words |

Instructions of several parts, in other words, or in other languages, are the editor's to judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_markdown import headings, sentences

from .reporting import Change

_FORM = r"\A(?:(?:please|now|then|also) )*{}[.!]?\Z"
_GONE = r"(?:delete|remove|drop|strike|take out|cut)"
_HEADING = re.compile(
    _FORM.format(rf"{_GONE}\s+(?:the\s+)?(?:sub)?heading\s+(?:(?:called|named|titled)\s+)?(\S[^\n]{{0,300}}?)"), re.I
)
_SENTENCE = re.compile(
    _FORM.format(
        rf"{_GONE}\s+(?:the\s+|all\s+|every\s+)?sentences?\s+"
        r"(?:(?:about|on|with|that says)\s+)?(\S[^\n]{0,500}?)"
    ),
    re.I,
)
_REPLACE = re.compile(
    _FORM.format(r"(?:replace|change)\s+(\S[^\n]{0,500}?)\s+(?:with|by|to)\s+(\S[^\n]{0,500}?)"), re.I
)
_MENTION = re.compile(
    _FORM.format(
        r"(?:mention|say|state|(?:add|insert)(?:\s+(?:a|one|another|some))?(?:\s+(?:short\s+)?(?:sentence|paragraph|line|note))?"
        r"\s+(?:about|on|that says))\s+(?:that\s+)?(\S[^\n]{0,1000}?)"
    ),
    re.I,
)
_SHORTEN = re.compile(_FORM.format(r"(?:shorten|condense|tighten|trim)\b[^\n]{0,300}?"), re.I)
_QUOTES = "\"'“”‘’«»„`"
_WORD = re.compile(r"\w+")
_VERB = "shorten|condense|make|add|insert|remove|delete|drop|replace|change|mention|say|state|keep|move|use|write|give"
_JOINT = re.compile(rf"(?:[;\n]|\.\s|\b(?:and|then|but)\s+(?:also\s+|then\s+)?)\s*(?:{_VERB})\b", re.I)
_PLACE = re.compile(
    r"\s(?:in|into|under|after|before|at|to|from) the (?:\w+ ){0,4}"
    r"(?:paragraph|section|sentence|heading|list|table|text|chapter|beginning|start|end)\b[^\n\"“”]{0,200}\Z"
    r"|\s(?:everywhere|throughout|once)[.!]?\Z",
    re.I,
)
MAX_INSTRUCTION = 2_000
_SMALL = 4
_STEM = 5


@dataclass(frozen=True)
class DeleteHeading:
    """A heading is to go, and nothing else."""

    title: str


@dataclass(frozen=True)
class RemoveSentence:
    """A sentence that speaks of something is to go."""

    target: str


@dataclass(frozen=True)
class ReplaceWords:
    """Some words are to stand where others stand."""

    old: str
    new: str


@dataclass(frozen=True)
class MentionSubject:
    """The text is to speak of something."""

    subject: str


@dataclass(frozen=True)
class ShortenText:
    """The text is to have fewer words."""


Demand = DeleteHeading | RemoveSentence | ReplaceWords | MentionSubject | ShortenText


def demand_of(instruction: str) -> Demand | None:
    """What an instruction asks for, if it is one of the forms that code can check."""
    instruction = instruction.strip()
    if len(instruction) > MAX_INSTRUCTION or _JOINT.search(instruction):
        return None
    instruction = _PLACE.sub("", instruction)
    if found := _HEADING.match(instruction):
        return DeleteHeading(_bare(found[1]))
    if found := _SENTENCE.match(instruction):
        return RemoveSentence(_bare(found[1]))
    if found := _REPLACE.match(instruction):
        return ReplaceWords(_bare(found[1]), _bare(found[2]))
    if found := _MENTION.match(instruction):
        return MentionSubject(_bare(found[1]))
    return ShortenText() if _SHORTEN.match(instruction) else None


def unmet(demand: Demand | None, old: str, new: str, changes: Sequence[Change], language: str) -> str:
    """Why the change is another than the one that was asked for; nothing if it is that one."""
    match demand:
        case None:
            return ""
        case DeleteHeading():
            return _heading_left(demand.title, old, new, changes)
        case RemoveSentence():
            return _sentence_left(demand.target, old, new, language)
        case ReplaceWords():
            return _words_left(demand, old, changes)
        case MentionSubject():
            return _unmentioned(demand.subject, changes, language)
        case ShortenText():
            before, after = (len(_WORD.findall(text)) for text in (old, new))
            return "" if after < before else f"the text did not get shorter: {after} words, before {before}"
        case _:
            assert_never(demand)


def _heading_left(title: str, old: str, new: str, changes: Sequence[Change]) -> str:
    before, after = (Counter(_folded(heading.text) for heading in headings(text)) for text in (old, new))
    if _folded(title) not in before:
        first = _bare(title.partition(" and ")[0])
        gone = before[_folded(first)] > after[_folded(first)]
        return "" if gone else f"there is no heading “{title}”"
    if after[_folded(title)] >= before[_folded(title)]:
        return f"the heading “{title}” is still there"
    others = [one for one in changes if one.how != "removed" or _folded(_heading_text(one.old)) != _folded(title)]
    return f"more changed than the heading “{title}”" if others else ""


def _sentence_left(target: str, old: str, new: str, language: str) -> str:
    before, after = (Counter(_folded(one.text) for one in sentences(text, language)) for text in (old, new))
    gone, come = before - after, after - before
    if not gone or not any(_speaks_of(sentence, target, language) for sentence in gone):
        return f"nothing that speaks of “{target}” was removed"
    left = {word for sentence in gone for word in sentence.split()}
    if added := next((sentence for sentence in come if not left.issuperset(sentence.split())), ""):
        return f"a sentence was to be removed, and this was added: “{added}”"
    other = next((sentence for sentence in gone if not _speaks_of(sentence, target, language)), "")
    return f"something else was removed: “{other}”" if other else ""


def _words_left(demand: ReplaceWords, old: str, changes: Sequence[Change]) -> str:
    before, after = demand.old.casefold(), demand.new.casefold()
    if before not in old.casefold():
        return f"“{demand.old}” does not stand in the text"
    done = [change for change in changes if before in change.old.casefold() and after in change.new.casefold()]
    if not done:
        return f"“{demand.old}” was not replaced by “{demand.new}”"
    other = next((one for one in changes if one not in done and not _only_numbers(one)), None)
    return f"something else changed: {other.words}" if other else ""


def _unmentioned(subject: str, changes: Sequence[Change], language: str) -> str:
    new = [change for change in changes if change.how in ("added", "changed")]
    if not any(_speaks_of(change.new, subject, language) for change in new):
        return f"nothing that was added speaks of “{subject}”"
    removed = next((change for change in changes if change.how == "removed"), None)
    return f"something was removed: {removed.words}" if removed else ""


def _speaks_of(text: str, subject: str, language: str) -> bool:
    """Whether half of the long words of a subject stand in a text; words of another language cannot be found."""
    wanted = {word[:_STEM] for word in _words(subject) if len(word) >= _SMALL}
    if language not in ("", "en") or not wanted:
        return bool(text)
    found = {word[:_STEM] for word in _words(text)}
    return 2 * len(wanted & found) >= len(wanted)


def _only_numbers(change: Change) -> bool:
    """Whether a change is that of figures, such as a sum that follows from a replaced amount."""
    without = [re.sub(r"[\d.,\s]+", "", text) for text in (change.old, change.new)]
    return change.how == "changed" and without[0] == without[1]


def _heading_text(block: str) -> str:
    return next((heading.text for heading in headings(block)), "")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _folded(text: str) -> str:
    return " ".join(_words(text))


def _bare(text: str) -> str:
    return text.strip().strip(_QUOTES).strip()
