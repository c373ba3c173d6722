"""What a label asks for: a concept, whose it is, and the words that say which one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from stemma_evidence import content_words
from stemma_languages import form_words

from stemma_forms.words import UNSPACED, normal

OWN = "own"
NEVER = frozenset({"signature", "date"})
"""What only the person who signs writes."""
_GENERIC = ("name", "person", "organisation")
"""Concepts that give way to one that says more: the e-mail of the contact person."""
_KINDS = ("concepts", "roles", "parties", "things")
_ALTERNATIVES = re.compile(r"\s+[/|]\s+|\n")
# A longer word may have one letter more than its list has: Ansprechpartners.
_INFLECTED = re.compile(r"[^\W\d_]{6,}[sn]")
_NUMBERING = re.compile(
    r"\s*(?:\(?(?:[A-Za-z][.-]?)?\d{1,3}(?:[.-]\d{1,3})+[.):]?|\(?[A-Za-z]?[.-]?\d{1,3}[.):]|\(?[a-z][.)])\s+"
)

Meaning = tuple[str, str]
"""A kind of word and its name: ("roles", "contact")."""


@dataclass(frozen=True)
class Label:
    """``concept`` is empty if the label names none, or two; ``words`` are the stems that are left."""

    concept: str = ""
    roles: frozenset[str] = frozenset()
    parties: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def without_number(text: str) -> str:
    """A question without the number that it begins with."""
    return text[found.end() :] if (found := _NUMBERING.match(text)) else text


def alternatives(text: str) -> tuple[str, ...]:
    """A label in each of the languages that it is written in."""
    parts = tuple(part.strip(" :：*") for part in _ALTERNATIVES.split(text) if any(map(str.isalpha, part)))
    return parts if len(parts) > 1 else (text.strip(" :：*"),)


@lru_cache(maxsize=8192)
def read_label(text: str, language: str, form: str = "") -> Label:
    """What a label asks for, with stems of a language; a word of several goes by the language of the form."""
    found, rest = _scan(normal(text), _phrases(("concepts", "roles", "parties"), form or language))
    named = [{name for kind, name in meanings if kind == "concepts"} for meanings in found]
    roles = frozenset(name for meanings in found for kind, name in meanings if kind == "roles")
    parties = frozenset(name for meanings in found for kind, name in meanings if kind == "parties")
    words = _subject(rest, language)
    if not roles and any("person" in names for names in named):
        roles = frozenset({"contact"})
    concept = _concept(frozenset().union(*named), roles, parties, words)
    return Label(concept, roles, parties - {OWN}, words)


@lru_cache(maxsize=8192)
def carrying(text: str, language: str) -> frozenset[str]:
    """The words that say what a question or a statement is about, with one name for all words of a thing."""
    found, rest = _scanned(text, ("things",))
    things = {f"thing:{name}" for meanings in found for _, name in meanings}
    return _subject(rest, language) | things


def parties_of(text: str) -> frozenset[str]:
    """The parties that a text names."""
    found, _ = _scanned(text, ("parties",))
    return frozenset(name for meanings in found for _, name in meanings)


def parties_in(text: str) -> frozenset[str]:
    """The parties besides the bidder that a text names."""
    return parties_of(text) - {OWN}


def leaves(text: str, concept: str, language: str) -> frozenset[str]:
    """The words of a text besides those for a concept."""
    return content_words(_scan(normal(text), _plain("concepts", concept))[1], language)


def roles_in(text: str) -> frozenset[str]:
    return frozenset(name for meanings in _scanned(text, ("roles",))[0] for _, name in meanings)


def concepts_in(text: str) -> frozenset[str]:
    return frozenset(name for meanings in _scanned(text, ("concepts",))[0] for _, name in meanings)


def is_of(text: str, about: str, name: str = "") -> bool:
    """Whether a text has one of the words of a list, whole."""
    return bool(_scan(normal(text), _plain(about, name))[0])


def unit_in(text: str) -> str:
    """The unit that a cell or a header names; empty if none, or several."""
    found = {name for meanings in _scanned(text, ("units",))[0] for _, name in meanings}
    return found.pop() if len(found) == 1 else ""


def is_unit(text: str) -> bool:
    """Whether a cell holds a unit and nothing else."""
    found, rest = _scanned(text, ("units",))
    return bool(found) and not rest.strip()


def _concept(named: frozenset[str], roles: frozenset[str], parties: frozenset[str], words: frozenset[str]) -> str:
    if "signature" in named:
        return "signature"
    # A word such as "data" is a date in one language and something else in another.
    named = named - {"date"} if words or len(named) > 1 else named
    exact = named - {*_GENERIC}
    if len(exact) > 1:
        exact = frozenset({"address"}) if exact <= {"address", "street", "postcode", "city", "country"} else exact
        return min(exact) if len(exact) == 1 else "several"
    if exact:
        return min(exact)
    if roles and "organisation" not in named and not (words and "name" not in named and "person" not in named):
        return "person"
    if "organisation" in named or (named and parties and "person" not in named):
        return "organisation"
    if not named and parties and not words and not roles:
        return "organisation"
    return min(named, default="")


def _scanned(text: str, kinds: tuple[str, ...]) -> tuple[list[frozenset[Meaning]], str]:
    return _scan(normal(text), _phrases(kinds))


def _scan(text: str, phrases: _Phrases) -> tuple[list[frozenset[Meaning]], str]:
    """The phrases in a text, the longest first from each place, and what is left of it."""
    found, rest, words, at = list[frozenset[Meaning]](), list[str](), text.split(), 0
    while at < len(words):
        word = words[at]
        known = phrases.spaced.get(word) or (phrases.spaced.get(word[:-1], ()) if _INFLECTED.fullmatch(word) else ())
        for phrase in known:
            if len(phrase) == 1 or tuple(words[at : at + len(phrase)]) == phrase:
                found.append(phrases.meanings[" ".join(phrase)])
                at += len(phrase)
                break
        else:
            rest.append(word if word.isascii() else "".join(_unspaced(word, phrases, found)))
            at += 1
    return found, " ".join(rest)


def _unspaced(run: str, phrases: _Phrases, found: list[frozenset[Meaning]]) -> Iterator[str]:
    at = 0
    while at < len(run):
        known = (p for p in phrases.unspaced.get(run[at], ()) if run.startswith(p, at))
        if (phrase := next(known, None)) is not None:
            found.append(phrases.meanings[phrase])
            yield " "
            at += len(phrase)
        else:
            yield run[at]
            at += 1


@dataclass(frozen=True)
class _Phrases:
    """Phrases by their first word, or by their first character where no spaces stand; the longest come first."""

    meanings: Mapping[str, frozenset[Meaning]]
    spaced: Mapping[str, tuple[tuple[str, ...], ...]]
    unspaced: Mapping[str, tuple[str, ...]]


@cache
def _phrases(kinds: tuple[str, ...], language: str = "") -> _Phrases:
    """The phrases of all languages; what one of them has means what it means there."""
    own = list(_pairs_of(kinds, language)) if language in form_words() else []
    known = {normal(phrase) for phrase, _ in own}
    others = (pair for tag in form_words() if tag != language for pair in _pairs_of(kinds, tag))
    return _indexed(chain(own, (pair for pair in others if normal(pair[0]) not in known)))


def _pairs_of(kinds: tuple[str, ...], language: str) -> Iterator[tuple[str, Meaning]]:
    for kind in kinds:
        for name, phrases in getattr(form_words()[language], kind).items():
            yield from ((phrase, (kind, name)) for phrase in phrases)


@cache
def _plain(about: str, name: str) -> _Phrases:
    lists = ((getattr(words, about)[name] if name else getattr(words, about)) for words in form_words().values())
    return _indexed((phrase, (about, name)) for phrases in lists for phrase in phrases)


def _indexed(pairs: Iterator[tuple[str, Meaning]]) -> _Phrases:
    meanings: dict[str, frozenset[Meaning]] = {}
    for phrase, meaning in pairs:
        key = normal(phrase)
        meanings[key] = meanings.get(key, frozenset()) | {meaning}
    spaced: dict[str, list[tuple[str, ...]]] = {}
    unspaced: dict[str, list[str]] = {}
    for key in sorted(filter(None, meanings), key=len, reverse=True):
        if key[0] >= UNSPACED:
            unspaced.setdefault(key[0], []).append(key)
        else:
            first, *_ = words = tuple(key.split())
            spaced.setdefault(first, []).append(words)
    return _Phrases(meanings, {k: tuple(v) for k, v in spaced.items()}, {k: tuple(v) for k, v in unspaced.items()})


def _subject(text: str, language: str) -> frozenset[str]:
    """The stems of what is left of a question without the words that only ask."""
    return content_words(_scan(text, _plain("asking", ""))[1], language)
