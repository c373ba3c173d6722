"""The forms of instruction that an editor follows, by language: ``data/editing/forms.json``.

Shorten something; add a sentence of the material about something, or mention it; say that something is so; remove
something; replace one thing with another. Several of them are joined by ``and`` or ``;``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

DATA = Path(__file__).with_name("data") / "editing" / "forms.json"
FALLBACK = "en"

Verb: TypeAlias = Literal["replace", "shorten", "say", "add", "remove"]
VERBS: tuple[Verb, ...] = ("replace", "shorten", "say", "add", "remove")

_QUOTES = "\"'“”„‘’«»`「」『』"


@dataclass(frozen=True)
class Form:
    """One thing to do: ``what`` is the target, the subject or the words, ``new`` what takes the place of them."""

    verb: Verb
    what: str
    new: str = ""


class Grammar:
    """How instructions are put in one language."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.filler = frozenset(data["filler"])
        self.ordinals: Mapping[str, int] = data["ordinals"]
        self._blocks: Mapping[str, list[str]] = data["blocks"]
        self._polite = sorted(data["polite"], key=len, reverse=True)
        self._joint = re.compile(data["joint"], re.IGNORECASE)
        self._whole = re.compile(data["whole"], re.IGNORECASE)
        self._about = re.compile(data["about"], re.IGNORECASE)
        self._forms = [
            (verb, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for verb in VERBS for pattern in data[verb]
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
            for name, place in self.ordinals.items()
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) or (name > "\u3040" and name in words)
        )
        return next(found, None)


def bare(text: str) -> str:
    """Words without the quotation marks around them."""
    text = text.strip()
    inner = text.strip(_QUOTES)
    return inner if text != inner and text[0] in _QUOTES and text[-1] in _QUOTES else text


@lru_cache(maxsize=16)
def grammar(language: str) -> Grammar:
    """The grammar of a language; English for one without."""
    data = json.loads(DATA.read_text("utf-8"))
    return Grammar(data.get(language, data[FALLBACK]))
