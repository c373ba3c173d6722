"""What code can check of an instruction: whether the text changed as it asks, and in nothing else.

| form | what is checked |
|---|---|
| ``Delete the heading X`` | that heading is gone, and nothing else changed |
| ``Remove the sentence about X`` | something that speaks of X is gone, and nothing was added |
| ``Remove the paragraph about X`` | the same of whole blocks |
| ``Replace X by Y`` | Y stands where X stood; else only numbers changed |
| ``Mention X``, ``Add a sentence about X`` | what was added or changed speaks of X, and no sentence is gone |
| ``Shorten ...`` | the text has fewer words |

The forms of every language are data of `stemma_languages`. Instructions of several parts or in other words are the
editor's to judge; words of one language are not looked for in a text of another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_languages import asked_edit, count_words, primary
from stemma_markdown import headings, sentences

from .reporting import Change

_WORD = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SMALL = 4
_STEM = 5


@dataclass(frozen=True)
class Subject:
    """What an instruction is about, and whether its words can be looked for: they are of the text's language."""

    words: str
    comparable: bool


@dataclass(frozen=True)
class DeleteHeading:
    """A heading is to go, and nothing else."""

    title: str


@dataclass(frozen=True)
class RemoveSentence:
    """A sentence that speaks of something is to go."""

    target: Subject


@dataclass(frozen=True)
class RemoveParagraph:
    """A paragraph that speaks of something is to go, as a whole."""

    target: Subject


@dataclass(frozen=True)
class ReplaceWords:
    """Some words are to stand where others stand."""

    old: str
    new: str


@dataclass(frozen=True)
class MentionSubject:
    """The text is to speak of something."""

    subject: Subject


@dataclass(frozen=True)
class ShortenText:
    """The text is to have fewer words."""


Demand = DeleteHeading | RemoveSentence | RemoveParagraph | ReplaceWords | MentionSubject | ShortenText


def demand_of(instruction: str, language: str) -> Demand | None:
    """What an instruction to a text of a language asks for, if it is one of the forms that code can check."""
    asked = asked_edit(instruction, language)
    if asked is None:
        return None
    comparable = asked.language == (primary(language) or asked.language)
    match asked.form:
        case "delete_heading":
            return DeleteHeading(asked.words["subject"])
        case "remove_sentence":
            return RemoveSentence(Subject(asked.words["subject"], comparable))
        case "remove_paragraph":
            return RemoveParagraph(Subject(asked.words["subject"], comparable))
        case "replace":
            return ReplaceWords(asked.words["old"], asked.words["new"])
        case "mention":
            return MentionSubject(Subject(asked.words["subject"], comparable))
        case "shorten":
            return ShortenText()
        case _:
            assert_never(asked.form)


def unmet(demand: Demand | None, old: str, new: str, changes: Sequence[Change], language: str) -> str:
    """Why the change is another than the one that was asked for; nothing if it is that one."""
    match demand:
        case None:
            return ""
        case DeleteHeading():
            return _heading_left(demand.title, old, new, changes)
        case RemoveSentence():
            return _sentence_left(demand.target, old, new, language)
        case RemoveParagraph():
            return _paragraph_left(demand.target, changes)
        case ReplaceWords():
            return _words_left(demand, old, changes)
        case MentionSubject():
            return _unmentioned(demand.subject, changes)
        case ShortenText():
            before, after = (count_words(text) for text in (old, new))
            return "" if after < before else f"the text did not get shorter: {after} words, before {before}"
        case _:
            assert_never(demand)


def _heading_left(title: str, old: str, new: str, changes: Sequence[Change]) -> str:
    before, after = (Counter(_folded(heading.text) for heading in headings(text)) for text in (old, new))
    if _folded(title) not in before:
        return _first_heading_left(title, before, after)
    if after[_folded(title)] >= before[_folded(title)]:
        return f"the heading “{title}” is still there"
    others = [one for one in changes if one.how != "removed" or _folded(_heading_text(one.old)) != _folded(title)]
    return f"more changed than the heading “{title}”" if others else ""


def _first_heading_left(title: str, before: Counter[str], after: Counter[str]) -> str:
    """Of a heading with more words behind it, such as ``X and what stands below it``: only whether it is gone."""
    named = max((heading for heading in before if heading and _folded(title).startswith(heading)), key=len, default="")
    if not named:
        return f"there is no heading “{title}”"
    return f"the heading “{title}” is still there" if after[named] >= before[named] else ""


def _sentence_left(target: Subject, old: str, new: str, language: str) -> str:
    before, after = (Counter(_folded(one.text) for one in sentences(text, language)) for text in (old, new))
    gone, come = before - after, after - before
    if not gone or not any(_speaks_of(sentence, target) for sentence in gone):
        return f"nothing that speaks of “{target.words}” was removed"
    left = {word for sentence in gone for word in sentence.split()}
    if added := next((sentence for sentence in come if not left.issuperset(sentence.split())), ""):
        return f"a sentence was to be removed, and this was added: “{added}”"
    other = next((sentence for sentence in gone if not _speaks_of(sentence, target)), "")
    return f"something else was removed: “{other}”" if other else ""


def _paragraph_left(target: Subject, changes: Sequence[Change]) -> str:
    gone = [change for change in changes if change.how == "removed" and _speaks_of(change.old, target)]
    if not gone:
        return f"nothing that speaks of “{target.words}” was removed"
    other = next((change for change in changes if change not in gone), None)
    return f"something else changed: {other.words}" if other else ""


def _words_left(demand: ReplaceWords, old: str, changes: Sequence[Change]) -> str:
    before, after = demand.old.casefold(), demand.new.casefold()
    if before not in old.casefold():
        return f"“{demand.old}” does not stand in the text"
    done = [change for change in changes if before in change.old.casefold() and after in change.new.casefold()]
    if not done:
        return f"“{demand.old}” was not replaced by “{demand.new}”"
    other = next((one for one in changes if one not in done and not _only_numbers(one)), None)
    return f"something else changed: {other.words}" if other else ""


def _unmentioned(subject: Subject, changes: Sequence[Change]) -> str:
    new = [change for change in changes if change.how in ("added", "changed")]
    if not any(_speaks_of(change.new, subject) for change in new):
        return f"nothing that was added speaks of “{subject.words}”"
    removed = next((change for change in changes if change.how == "removed"), None)
    return f"something was removed: {removed.words}" if removed else ""


def _speaks_of(text: str, subject: Subject) -> bool:
    """Whether half of what can be recognised of a subject stands in a text."""
    wanted = _recognised(subject.words)
    if not subject.comparable or not wanted:
        return bool(text)
    known, folded = _recognised(text), text.casefold()
    found = [piece for piece in wanted if piece in known or (_WITHOUT_SPACES.match(piece) and piece in folded)]
    return 2 * len(found) >= len(wanted)


def _recognised(text: str) -> set[str]:
    """The beginnings of long words, and each two characters that follow each other where words have no spaces."""
    folded = text.casefold()
    pairs = {run[at : at + 2] for run in _WITHOUT_SPACES.findall(folded) for at in range(max(1, len(run) - 1))}
    words = _WORD.findall(_WITHOUT_SPACES.sub(" ", folded))
    return pairs | {word[:_STEM] for word in words if len(word) >= _SMALL}


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
