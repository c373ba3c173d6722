"""What code can check of an instruction: whether the text changed as it asks, and in nothing else.

| form | what is checked |
|---|---|
| ``Delete the heading X`` | that heading is gone, and nothing else changed |
| ``Delete the heading X and ...`` | that heading is gone, and nothing outside of its chapter changed |
| ``Remove the sentence about X`` | something that speaks of X is gone, nothing else, and nothing was added |
| ``Remove the paragraph about X`` | the same of whole blocks |
| ``Replace X by Y`` | Y stands where X stood; else only articles and endings changed, and numbers if X or Y has one |
| ``Mention X``, ``Add a sentence about X`` | what was added or changed speaks of X, and all that stood there stays |
| ``Shorten ...`` | the text has fewer words, and half of those that it has stood there before |
| ``Shorten the first paragraph`` | the same, and nothing changed in front of that paragraph and behind it |

The forms of every language are data of `stemma_languages`. Instructions of several parts or in other words are the
editor's to judge; words of one language are not looked for in a text of another.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from stemma_languages import Numbered, asked_edit, count_words, grammar, negates, primary
from stemma_markdown import headings, sentences, split

from .reporting import Change

_WORD = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SMALL = 4
_STEM = 5
_INFLECTED = 3


def folded(text: str) -> str:
    """The words of a text without case and marks, one space apart."""
    return " ".join(_words(text))


def recognised(text: str) -> set[str]:
    """The beginnings of long words, and each two characters that follow each other where words have no spaces."""
    small = text.casefold()
    pairs = {run[at : at + 2] for run in _WITHOUT_SPACES.findall(small) for at in range(max(1, len(run) - 1))}
    words = _WORD.findall(_WITHOUT_SPACES.sub(" ", small))
    return pairs | {word[:_STEM] for word in words if len(word) >= _SMALL}


def has_half_of(wanted: set[str], text: str) -> bool:
    """Whether half of what is recognised of some words stands in a text."""
    known, small = recognised(text), text.casefold()
    found = [piece for piece in wanted if piece in known or (_WITHOUT_SPACES.match(piece) and piece in small)]
    return 2 * len(found) >= len(wanted)


def only_numbers(change: Change) -> bool:
    """Whether a change is that of figures, such as a sum that follows from a replaced amount."""
    without = [re.sub(r"[\d.,\s]+", "", text) for text in (change.old, change.new)]
    return change.how == "changed" and without[0] == without[1]


def keeps_what_stood(change: Change) -> bool:
    """Whether a sentence that changed still says what it said: its numbers, and most of its words."""
    before = recognised(change.old)
    lost = before - recognised(change.new)
    return _numbers(change.old) <= _numbers(change.new) and 3 * len(lost) <= len(before)


def replaces_only(change: Change, old: str, new: str, language: str) -> bool:
    """Whether a change puts words in the place of others; articles and endings around them may follow."""
    was, became = (" ".join(text.casefold().split()) for text in (change.old, change.new))
    if was.replace(old.casefold(), new.casefold()) == became:
        return True
    if _WITHOUT_SPACES.search(was) or (negates(was, language) != negates(became, language)):
        return False
    before, after = Counter(_words(was)), Counter(_words(became))
    gone, come = before - after - Counter(_words(old)), after - before - Counter(_words(new))
    follows = _numbers(old) or _numbers(new)
    small = was.count(old.casefold())
    return all(_is_around(one, come, small, follows) for one in gone) and all(
        _is_around(one, gone, small, follows) for one in come
    )


def _is_around(word: str, others: Counter[str], small: int, numbers_follow: set[str]) -> bool:
    """Whether a word only follows from a replacement: an article, an ending, a sum."""
    if any(char.isdigit() for char in word):
        return bool(numbers_follow)
    if any(word[:_INFLECTED] == other[:_INFLECTED] for other in others):
        return True
    return len(word) <= _SMALL and len(others) <= 2 * small


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


Place = tuple[int, int]


def place_of(asked: Numbered, text: str, language: str) -> Place | None:
    """Where the block, section or sentence begins and ends; nothing if there are fewer of them."""
    found = list(_places(asked.kind, text, language))
    return found[asked.place] if -len(found) <= asked.place < len(found) else None


def changed_beside(place: Place, old: str, new: str) -> bool:
    """Whether the text in front of a place or behind it is another now."""
    before, after = old[: place[0]].rstrip(), old[place[1] :].strip()
    kept = new.startswith(before) and new.rstrip().endswith(after)
    return not kept or len(new.rstrip()) < len(before) + len(after)


def _places(kind: str, text: str, language: str) -> Iterator[Place]:
    match kind:
        case "sentence":
            yield from ((one.start, one.end) for one in sentences(text, language))
        case "section":
            yield from _sections(text)
        case _:
            blocks = (block for block in split(text) if block.kind == kind and not block.text.startswith("!"))
            yield from ((block.start, block.end) for block in blocks)


def _sections(text: str) -> Iterator[Place]:
    """The sections below the title, each with all that stands below it."""
    found = headings(text)
    if [one.level for one in found].count(min((one.level for one in found), default=0)) == 1:
        found = found[1:]
    top = min((one.level for one in found), default=0)
    starts = [one.start for one in found if one.level == top]
    yield from pairwise([*starts, len(text)])


_PART_OF_A_BLOCK = frozenset({"Sentence", "Table row", "Line"})


@dataclass(frozen=True)
class Subject:
    """What an instruction is about, and whether its words can be looked for: they are of the text's language."""

    words: str
    comparable: bool


@dataclass(frozen=True)
class DeleteHeading:
    title: str


@dataclass(frozen=True)
class RemoveSentence:
    target: Subject


@dataclass(frozen=True)
class RemoveParagraph:
    target: Subject


@dataclass(frozen=True)
class ReplaceWords:
    old: str
    new: str


@dataclass(frozen=True)
class MentionSubject:
    subject: Subject


@dataclass(frozen=True)
class ShortenText:
    """The text is to have fewer words; where one place of it is named by a number, in that place alone."""

    place: Numbered | None = None


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
            return ShortenText(grammar(asked.language).numbered(asked.words.get("target", "")))
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
            return _sentence_left(demand.target, old, new, changes, language)
        case RemoveParagraph():
            return _paragraph_left(demand.target, changes)
        case ReplaceWords():
            return _words_left(demand, old, changes, language)
        case MentionSubject():
            return _unmentioned(demand.subject, changes)
        case ShortenText():
            return _not_shorter(old, new) or _elsewhere(demand.place, old, new, language)
        case _:
            assert_never(demand)


def _heading_left(title: str, old: str, new: str, changes: Sequence[Change]) -> str:
    before, after = (Counter(folded(heading.text) for heading in headings(text)) for text in (old, new))
    if folded(title) not in before:
        return _chapter_left(title, old, before, after, changes)
    if after[folded(title)] >= before[folded(title)]:
        return f"the heading “{title}” is still there"
    others = [one for one in changes if one.how != "removed" or folded(_heading_text(one.old)) != folded(title)]
    return f"more changed than the heading “{title}”" if others else ""


def _chapter_left(title: str, old: str, before: Counter[str], after: Counter[str], changes: Sequence[Change]) -> str:
    """Of a heading with more words behind it, such as ``X and what stands below it``: its chapter, or a part of it."""
    named = max((heading for heading in before if heading and folded(title).startswith(heading)), key=len, default="")
    if not named:
        return f"there is no heading “{title}”"
    if after[named] >= before[named]:
        return f"the heading “{title}” is still there"
    chapter = _chapter(named, old)
    other = next((one for one in changes if one.how != "removed" or folded(one.old) not in chapter), None)
    return f"something else changed: {other.words}" if other else ""


def _chapter(named: str, text: str) -> str:
    """The first chapter below a heading, with it, as `folded` words."""
    found = headings(text)
    at = next(number for number, heading in enumerate(found) if folded(heading.text) == named)
    ends = (heading.start for heading in found[at + 1 :] if heading.level <= found[at].level)
    return folded(text[found[at].start : next(ends, None)])


def _sentence_left(target: Subject, old: str, new: str, changes: Sequence[Change], language: str) -> str:
    before, after = (Counter(folded(one.text) for one in sentences(text, language)) for text in (old, new))
    gone, come = before - after, after - before
    if not gone or not any(_speaks_of(sentence, target) for sentence in gone):
        return f"nothing that speaks of “{target.words}” was removed"
    left = {word for sentence in gone for word in sentence.split()}
    if added := next((sentence for sentence in come if not left.issuperset(sentence.split())), ""):
        return f"a sentence was to be removed, and this was added: “{added}”"
    if other := next((sentence for sentence in gone if not _speaks_of(sentence, target)), ""):
        return f"something else was removed: “{other}”"
    beside = next((one for one in changes if one.what == "Heading" or _is_other_row(one, target)), None)
    return f"something else changed: {beside.words}" if beside else ""


def _is_other_row(change: Change, target: Subject) -> bool:
    """Whether a row or a line changed that was not meant: they are no sentences."""
    return change.what in ("Table row", "Line") and not _speaks_of(change.old or change.new, target)


def _paragraph_left(target: Subject, changes: Sequence[Change]) -> str:
    gone = [change for change in changes if change.how == "removed" and _speaks_of(change.old, target)]
    if not gone:
        return f"nothing that speaks of “{target.words}” was removed"
    if part := next((change for change in gone if change.what in _PART_OF_A_BLOCK), None):
        return f"only a part of a paragraph was removed: {part.words}"
    other = next((change for change in changes if change not in gone), None)
    return f"something else changed: {other.words}" if other else ""


def _words_left(demand: ReplaceWords, old: str, changes: Sequence[Change], language: str) -> str:
    before, after = demand.old.casefold(), demand.new.casefold()
    if before not in old.casefold():
        return f"“{demand.old}” does not stand in the text"
    done = [change for change in changes if before in change.old.casefold() and after in change.new.casefold()]
    if not done:
        return f"“{demand.old}” was not replaced by “{demand.new}”"
    of_numbers = any(char.isdigit() for char in before + after)
    other = next(
        (
            one
            for one in changes
            if not (one in done and replaces_only(one, demand.old, demand.new, language))
            and not (of_numbers and only_numbers(one))
        ),
        None,
    )
    return f"something else changed: {other.words}" if other else ""


def _unmentioned(subject: Subject, changes: Sequence[Change]) -> str:
    new = [change for change in changes if change.how in ("added", "changed")]
    if not any(_speaks_of(change.new, subject) for change in new):
        return f"nothing that was added speaks of “{subject.words}”"
    if removed := next((change for change in changes if change.how == "removed"), None):
        return f"something was removed: {removed.words}"
    changed = (change for change in changes if change.how == "changed")
    other = next((one for one in changed if not (_speaks_of(one.new, subject) and keeps_what_stood(one))), None)
    return f"something else changed: {other.words}" if other else ""


def _not_shorter(old: str, new: str) -> str:
    before, after = (count_words(text) for text in (old, new))
    if after >= before:
        return f"the text did not get shorter: {after} words, before {before}"
    said = recognised(new)
    return "the text says something else now" if 2 * len(said - recognised(old)) > len(said) else ""


def _elsewhere(asked: Numbered | None, old: str, new: str, language: str) -> str:
    if asked is None or asked.kind == "item":  # of which list, the number does not tell
        return ""
    place = place_of(asked, old, language)
    if place is None:
        return f"the text has no {asked.kind} with that number"
    return f"something else changed than that {asked.kind}" if changed_beside(place, old, new) else ""


def _speaks_of(text: str, subject: Subject) -> bool:
    """Whether half of what can be recognised of a subject stands in a text."""
    wanted = recognised(subject.words)
    return has_half_of(wanted, text) if subject.comparable and wanted else bool(text)


def _heading_text(block: str) -> str:
    return next((heading.text for heading in headings(block)), "")
