"""The writer's own words: openings, links and captions, different for every kind and place of a section."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .terms import Lexicon
from .words import STOPWORDS, join_words

_OPENINGS = {
    "research": "What is known comes from {sources}.",
    "solution": "What is proposed follows {sources}.",
    "connections": "How the parts hold together is drawn from {sources}.",
    "problem_statement": "The problem stands out in {sources}.",
    "approach": "The work follows {sources}.",
    "timeline": "The dates come from {sources}.",
    "budget": "The figures come from {sources}.",
    "conclusion": "The case rests on {sources}.",
    "executive_summary": "The main points are those of {sources}.",
    "risks": "What could go wrong is named in {sources}.",
    "team": "Who does the work is named in {sources}.",
    "evaluation": "Success is measured as {sources} say.",
}
_OTHER_OPENINGS = (
    "{title} draws on {sources}.",
    "The material for {title} is in {sources}.",
    "{title} keeps to {sources}.",
    "{title} is based on {sources}.",
)
_RESTS = {
    "solution": "The proposal answers what the section {upstream} found, above all on {terms}.",
    "connections": "All of it goes back to the section {upstream}, above all to {terms}.",
    "problem_statement": "",
    "approach": "The steps carry out what the section {upstream} sets out, {terms} included.",
    "timeline": "",
    "budget": "",
}
_OTHER_RESTS = (
    "{title} builds on the section {upstream}, above all on {terms}.",
    "{title} continues from the section {upstream} and from what it says on {terms}.",
    "{title} follows from the section {upstream}, where {terms} are treated.",
)
_LIST_LEADS = (
    "The list below sets out {about}:",
    "{about}, point by point:",
    "The following points cover {about}:",
    "{about}, taken one by one:",
)
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


def opening(nature: str, title: str, position: int, sources: Sequence[str]) -> str:
    """The first sentence of a section that the brief says nothing on."""
    pattern = _OPENINGS.get(nature) or _OTHER_OPENINGS[position % len(_OTHER_OPENINGS)]
    return capital(pattern.format(title=title, sources=join_words(list(sources))))


def resting_on(nature: str, title: str, position: int, upstream: str, terms: Sequence[str]) -> str:
    """A sentence that names the upstream section and what was found there, where that tells the reader something."""
    pattern = _RESTS.get(nature, _OTHER_RESTS[position % len(_OTHER_RESTS)])
    return capital(pattern.format(title=title, upstream=upstream, terms=join_words(list(terms))))


def resting_on_several(upstream: Sequence[str]) -> str:
    """A sentence that names the upstream sections."""
    return f"What follows rests on the sections {join_words(list(upstream))}."


def quote_lead(place: int, about: str, source: str) -> str:
    """The line before words of the client."""
    verb = ("says", "reads", "puts it like this")[place % 3]
    return f"On {about}, {source} {verb}:"


def shown_in(source: str, heading: str) -> str:
    """A sentence that says where a figure comes from."""
    return f"{capital(source)} shows {heading} in a figure:"


def attribution(place: int, source: str) -> str:
    """Words that say where a paragraph comes from."""
    return f"According to {source}," if place % 2 else f"As set out in {source},"


def list_lead(place: int, about: str) -> str:
    """The line before a list."""
    return capital(_LIST_LEADS[place % len(_LIST_LEADS)].format(about=about))


def table_title(about: str, by: str) -> str:
    """The line before a table, which becomes its caption."""
    return f"Table: {capital(about)}{f', by {by}' if by else ''}"


def to_be_reached(goals: Sequence[str]) -> str:
    """A sentence that names what the whole is for."""
    return f"What will be reached can be checked: {'; '.join(goals)}."


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
    return f"“{words}”" if any(map(str.isupper, words[1:])) else f"the {words.lower()}"


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
