"""The writer's own words: openings, links and captions, different for every kind and place of a section."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .terms import Lexicon
from .words import STOPWORDS, join_words

_OPENINGS = {
    "research": "What is known so far turns on {terms}.",
    "solution": "At the centre of what is proposed stand {terms}.",
    "connections": "Nothing in this document stands alone: this section ties together {terms}.",
    "problem_statement": "The need shows most clearly in {terms}.",
    "approach": "The work is organised around {terms}.",
    "timeline": "The calendar is set by {terms}.",
    "budget": "The figures below concern {terms}.",
    "conclusion": "In the end the case comes down to {terms}.",
    "executive_summary": "In short, this document is about {terms}.",
    "risks": "What could go wrong has to do with {terms}.",
    "team": "The people behind the work deal with {terms}.",
    "evaluation": "Success will be read from {terms}.",
}
_OTHER_OPENINGS = (
    "{title} deals with {terms}.",
    "Under the title of {title} come {terms}.",
    "The subject of {title} is {terms}.",
    "{title} brings together {terms}.",
)
_RESTS = {
    "solution": "It answers what the section {upstream} found, in particular on {terms}.",
    "connections": "It starts from the section {upstream}, with {terms} in view.",
    "problem_statement": "It looks at the ground that the section {upstream} covers, from {terms} outwards.",
    "approach": "It puts into practice what the section {upstream} sets out, {terms} included.",
    "timeline": "It gives dates to what the section {upstream} describes, from {terms} onwards.",
    "budget": "It puts a price on what the section {upstream} lays down, with {terms} in mind.",
}
_OTHER_RESTS = (
    "{title} builds on the section {upstream}, above all on {terms}.",
    "{title} continues from the section {upstream} and from what it says on {terms}.",
    "{title} follows from the section {upstream}, where {terms} are treated.",
)
_LINKS = (
    "In addition,",
    "At the same time,",
    "Alongside this,",
    "Just as important,",
    "In practice,",
    "Beyond that,",
    "Equally,",
    "More specifically,",
)
_LIST_LEADS = (
    "The list below sets out {about}:",
    "{about}, point by point:",
    "The following points cover {about}:",
    "{about}, taken one by one:",
)
_TABLE_VERBS = ("shows", "sets out", "lists", "brings together")
_THIN = (
    "The material at hand says little on {title}, so this section keeps to what the brief makes certain.",
    "On {title} the inputs are silent, and nothing has been added that they do not support.",
    "Details for {title} are still to be supplied; what follows rests on the brief alone.",
    "No input speaks of {title} directly, which is why this part stays short.",
)
_EMPTY = (
    "Neither the brief nor the inputs say anything on the point “{about}”; it stays open until they do.",
    "Under “{about}” nothing can be written yet, since no material speaks of it.",
    "The material is silent on “{about}”.",
)


def opening(nature: str, title: str, position: int, terms: Sequence[str]) -> str:
    """The first sentence of a section."""
    pattern = _OPENINGS.get(nature) or _OTHER_OPENINGS[position % len(_OTHER_OPENINGS)]
    return capital(pattern.format(title=title, terms=join_words(list(terms))))


def resting_on(nature: str, title: str, position: int, upstream: str, terms: Sequence[str]) -> str:
    """A sentence that names the upstream section and what was found there."""
    pattern = _RESTS.get(nature) or _OTHER_RESTS[position % len(_OTHER_RESTS)]
    return capital(pattern.format(title=title, upstream=upstream, terms=join_words(list(terms))))


def resting_on_several(upstream: Sequence[str]) -> str:
    """A sentence that names the upstream sections."""
    return f"It rests on the sections {join_words(list(upstream))}."


def link(place: int) -> str:
    """Words that tie a paragraph to the one before it."""
    return _LINKS[place % len(_LINKS)]


def attribution(place: int, source: str) -> str:
    """Words that say where a paragraph comes from."""
    return f"According to {source}," if place % 2 else f"As set out in {source},"


def list_lead(place: int, about: str) -> str:
    """The line before a list."""
    return capital(_LIST_LEADS[place % len(_LIST_LEADS)].format(about=about))


def table_lead(place: int, about: str, by: str) -> str:
    """The sentence before a table."""
    asks = about.split(" ", 1)[0] in ("how", "what", "where", "who", "why", "when")
    return (
        f"The table below {_TABLE_VERBS[0 if asks else place % len(_TABLE_VERBS)]} {about}{f' by {by}' if by else ''}."
    )


def dates_run(first: str, last: str) -> str:
    """A sentence on the span of a calendar."""
    return f"The dates run from {first} to {last}."


def thin(title: str, position: int) -> str:
    """An honest sentence for a section without material."""
    return _THIN[position % len(_THIN)].format(title=title)


def nothing_about(about: str, position: int) -> str:
    """An honest sentence for a heading without material."""
    return _EMPTY[position % len(_EMPTY)].format(about=about)


def point_quoted(point: str, title: str, source: str, sentence: str) -> str:
    """A point of the guidance and the words of the material on it."""
    inner = sentence.strip('“”"')
    return f"On {point}, the point raised in the review of {title}, these are the words of {source}: “{inner}”"


def asked_for(point: str, title: str) -> str:
    """A point of the guidance on which the material says nothing."""
    return f"The review of {title} asks for this as well: {point}; the material gives no further detail on it."


def in_sentence(phrase: str, lexicon: Lexicon) -> str:
    """A heading as it stands inside a sentence: ``Main findings`` becomes ``the main findings``.

    A heading in title case is quoted as it is, unless the material uses it as a name.
    """
    capitals = sum(word[:1].isupper() for word in phrase.split()[1:])
    words = phrase if capitals else lexicon.lowered(phrase)
    first = words.split(" ", 1)[0]
    if " ".join(words.lower().split()[:2]) in lexicon.after_the or capitals == 1:
        return f"the {words}"
    if capitals:
        return f"“{phrase}”"
    return words if first[:1].isupper() or first in STOPWORDS or first.endswith("ing") else f"the {words}"


def source_name(file_name: str) -> str:
    """A file name as words: ``inputs/reader-survey.md`` becomes ``the reader survey``."""
    stem = re.sub(r"\.\w{1,5}$", "", file_name.rsplit("/", 1)[-1])
    words = re.sub(r"^[\d\W_]+", "", re.sub(r"[-_\s]+", " ", stem)).strip()
    if not words:
        return "the input"
    return f"the {words if any(map(str.isupper, words[1:])) else words.lower()}"


def joined(prefix: str, sentence: str, lexicon: Lexicon) -> str:
    """The sentence after a linking phrase, or alone if its first word may be a name."""
    first = re.match(r"[^\W\d_]+(?:['’][^\W\d_]+)?", sentence)
    if not first or first.group() == "I" or first.group().lower() in ("we", "our", "you"):
        return sentence
    following = sentence[first.end() : first.end() + 2].strip()
    if first.group().lower() in STOPWORDS or (lexicon.lowered(sentence) != sentence and not following.isupper()):
        return f"{prefix} {sentence[0].lower()}{sentence[1:]}"
    return sentence


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
