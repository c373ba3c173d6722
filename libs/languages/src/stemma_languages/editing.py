"""The forms of instruction that an editor follows: ``data/editing/<tag>.json``.

Shorten something; add a sentence of the material about something, or mention it; say that something is so; remove
something; replace one thing with another. Several of them are joined by ``and`` or ``;``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from .languages import DEFAULT, shipped
from .wordlists import WordList, any_of, bare, folded, read_lists

Verb: TypeAlias = Literal["replace", "shorten", "say", "add", "remove"]
VERBS: tuple[Verb, ...] = ("replace", "shorten", "say", "add", "remove")


@dataclass(frozen=True)
class Form:
    """One thing to do: ``what`` is the target, the subject or the words, ``new`` what takes the place of them."""

    verb: Verb
    what: str
    new: str = ""


@dataclass(frozen=True)
class Numbered:
    """A block or a sentence by its kind and its place among those, from 0, or from -1 at the end."""

    kind: str
    place: int


class _Forms(WordList):
    polite: tuple[str, ...]
    joint: str
    replace: tuple[str, ...]
    shorten: tuple[str, ...]
    say: tuple[str, ...]
    add: tuple[str, ...]
    remove: tuple[str, ...]
    whole: str
    about: str
    filler: frozenset[str]
    blocks: Mapping[str, tuple[str, ...]]
    ordinals: Mapping[str, int]


class Grammar:
    """How instructions are put in one language."""

    def __init__(self, data: _Forms) -> None:
        self.filler = data.filler
        self._ordinals, self._blocks = data.ordinals, data.blocks
        self._polite = sorted(data.polite, key=len, reverse=True)
        self._joint = re.compile(data.joint, re.IGNORECASE)
        self._whole = re.compile(data.whole, re.IGNORECASE)
        self._about = re.compile(data.about, re.IGNORECASE)
        number = rf"(?<![^\W\d_])(?P<number>{any_of(data.ordinals)})"
        self._ordinal = re.compile(rf"{number}(?:\b|(?=[\u3040-\u9fff]))")
        self._numbered = re.compile(
            rf"{number}[\s.のつ个個]{{0,2}}"
            rf"(?P<kind>{any_of(name for names in data.blocks.values() for name in names)})(?:\b|(?=[\u3040-\u9fff]))"
        )
        patterns = (data.replace, data.shorten, data.say, data.add, data.remove)
        self._forms = [
            (verb, re.compile(pattern, re.IGNORECASE | re.DOTALL))
            for verb, of_verb in zip(VERBS, patterns, strict=True)
            for pattern in of_verb
        ]

    def parts(self, instruction: str) -> Iterator[str]:
        """The single instructions."""
        for part in self._joint.split(instruction[:2000]):
            words = part.strip().lstrip("-* ").rstrip(" .;!。；！")
            for polite in self._polite:
                if words.casefold().startswith(polite) and not words[len(polite) : len(polite) + 1].isalpha():
                    words = words[len(polite) :].lstrip(" ,，")
            if words:
                yield words

    def form(self, part: str) -> Form | None:
        """The form that a part has."""
        for verb, pattern in self._forms:
            if found := pattern.fullmatch(part):
                given = {name: bare(value or "") for name, value in found.groupdict().items()}
                new = given.pop("new", "")
                return Form(verb, next(iter(given.values()), ""), new)
        return None

    def is_whole(self, target: str) -> bool:
        """Whether a target is the whole text."""
        return self._whole.fullmatch(target) is not None

    def subject(self, target: str) -> str:
        """What the sentences that are meant are about."""
        return self._about.sub("", target)

    def block_kind(self, target: str) -> str:
        """The kind of block that a target names; empty if it names none."""
        words = target.casefold()
        for kind, names in self._blocks.items():
            if any(
                re.search(rf"(?<![^\W\d_]){re.escape(name)}s?(?![^\W\d_])", words)
                or (not name.isascii() and name in words and name > "\u3040")
                for name in names
            ):
                return kind
        return ""

    def place(self, target: str) -> int | None:
        """The ordinal number in a target, from 0, or from -1 at the end."""
        words = target.casefold()
        found = (
            place
            for name, place in self._ordinals.items()
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) or (name > "\u3040" and name in words)
        )
        return next(found, None)

    def numbered(self, target: str) -> Numbered | None:
        """The one block or sentence that a target names by its number, such as ``the first paragraph``."""
        found = list(self._numbered.finditer(folded(target)))
        if len(found) != 1 or len(self._ordinal.findall(folded(target))) != 1:
            return None
        kind = next(kind for kind, names in self._blocks.items() if found[0]["kind"] in map(folded, names))
        return Numbered(kind, self._ordinals[found[0]["number"]])


@lru_cache(maxsize=16)
def grammar(language: str) -> Grammar:
    """The grammar of a language; English for one without."""
    return Grammar(read_lists(_Forms, "editing", language if language in shipped() else DEFAULT))
