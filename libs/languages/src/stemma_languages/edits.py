"""Instructions to an editor in the forms whose outcome code can check: ``data/edits/<tag>.json``.

A form such as ``{remove} {the?} {heading} <subject>`` is a row of words: ``{name}`` is any of ``words``, ``{name?}``
may be missing, and ``<name>`` is what the instruction is about, in its own words. ``polite`` may stand around it, and
where the change is to be (``places``) behind it. An instruction of several parts (``joints`` before a verb) and one
that is in no form are not known, and nothing follows from that.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .languages import DEFAULT, primary, shipped
from .wordlists import QUOTES, WordList, bare, read_lists

MAX_INSTRUCTION = 2_000

EditForm = Literal["delete_heading", "remove_sentence", "remove_paragraph", "replace", "mention", "shorten"]

_MARKS = '"“”„«»「」『』《》〈〉'
_LONGEST = 1_000
_TOKEN = re.compile(r"\{(?P<words>\w+)(?P<optional>\?)?\}|<(?P<captured>\w+)>")
_END = r"\s*[.!。！]?\Z"
_STOP = r"(?:[;；\n]|[.。]\s|。)"


@dataclass(frozen=True)
class AskedEdit:
    """What an instruction asks for: its form, what it is about by name, without quotes, and its language."""

    form: EditForm
    words: Mapping[str, str]
    language: str


class _Edits(WordList):
    spaced: bool = True
    polite: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    verbs: tuple[str, ...]
    joints: tuple[str, ...]
    of: tuple[str, ...]
    places: tuple[str, ...]
    parts: tuple[str, ...]
    everywhere: tuple[str, ...]
    forms: Mapping[EditForm, tuple[str, ...]]


def asked_edit(instruction: str, language: str) -> AskedEdit | None:
    """What an instruction asks for, if it is in one of the forms.

    People instruct in the language of the document, in English, or in any other: the first that knows it tells.
    """
    text = instruction.strip()
    if len(text) > MAX_INSTRUCTION:
        return None
    tags = dict.fromkeys((primary(language) or DEFAULT, DEFAULT, *shipped()))
    known = [_read(tag) for tag in tags if tag in shipped()]
    if any(one.has_several_parts(text) for one in known):
        return None
    return next((found for one in known if (found := one.asked(text))), None)


class _Compiled:
    def __init__(self, tag: str, data: _Edits) -> None:
        self._tag, self._data = tag, data
        self._space = r"\s+" if data.spaced else r"\s*"
        self._edge = r"(?!\w)" if data.spaced else ""
        self._forms = [(form, re.compile(self._form(row), re.I)) for form, rows in data.forms.items() for row in rows]
        self._verbs = self._any_of(_verbs(data))
        self._parts = re.compile(self._start + self._any_of(data.parts) + self._edge, re.I)
        self._not_first = re.compile(self._any_of(data.of) + self._edge, re.I)
        self._place = self._compiled_place()
        self._joint = self._compiled_joint()

    @property
    def _start(self) -> str:
        return r"(?<!\w)" if self._data.spaced else ""

    def has_several_parts(self, text: str) -> bool:
        """Whether another verb follows a stop or an ``and``."""
        return self._joint.search(text) is not None

    def asked(self, text: str) -> AskedEdit | None:
        """What is asked for in this language."""
        text = self._place.sub("", text)
        for form, pattern in self._forms:
            if (found := pattern.match(text)) and all(
                self._is_subject(form, one) for one in found.groupdict().values()
            ):
                words = {name: bare(one) for name, one in found.groupdict().items()}
                return AskedEdit(form, words, self._tag)
        return None

    def _is_subject(self, form: EditForm, captured: str) -> bool:
        """Whether words can be what an instruction is about, and not where to find it or a second instruction."""
        if _is_quoted(captured):
            return True
        if form == "replace" and self._parts.search(captured):
            return False
        if form == "delete_heading" and self._not_first.match(captured):
            return False
        return self._data.spaced or not re.search(self._verbs, captured)

    def _form(self, row: str) -> str:
        tokens = [self._token(found, last=found.end() == len(row)) for found in _TOKEN.finditer(row)]
        polite = self._any_of(self._data.polite)
        return rf"\A¡?(?:{polite}[,，、]?{self._space})*{''.join(tokens)}{self._aside}{_END}"

    @property
    def _aside(self) -> str:
        """What may stand behind the words that matter: a please, or that it is meant everywhere."""
        return rf"(?:[,，、]?{self._space}{self._any_of((*self._data.polite, *self._data.everywhere))})?"

    def _token(self, found: re.Match[str], *, last: bool) -> str:
        space = "" if last else self._space
        if name := found["captured"]:
            return rf"(?P<{name}>\S[^\n]{{0,{_LONGEST}}}?){self._aside}{space}"
        words = self._any_of(self._words(found["words"]), space)
        return f"(?:{words})?" if found["optional"] else words + (self._edge if last else "")

    def _words(self, name: str) -> tuple[str, ...]:
        data = self._data
        if name == "polite":
            return data.polite
        return tuple(word for one in name.split("_or_") for word in data.words[one])

    def _any_of(self, words: Iterable[str], space: str = "") -> str:
        """Any of some words and the space behind it; behind an apostrophe there is none."""
        ordered = sorted(words, key=len, reverse=True)
        return (
            f"(?:{'|'.join(_literal(word) + ('' if word.endswith(_ELIDED) else space) for word in ordered) or '(?!)'})"
        )

    def _compiled_place(self) -> re.Pattern[str]:
        data = self._data
        where = rf"\s{self._any_of(data.places, self._space)}(?:\w+\s+){{0,4}}{self._any_of(data.parts)}{self._edge}"
        everywhere = rf"{self._space}{self._any_of(data.everywhere)}{_END}"
        return re.compile(rf"{where}[^\n{_MARKS}]{{0,200}}\Z|{everywhere}", re.I)

    def _compiled_joint(self) -> re.Pattern[str]:
        data = self._data
        polite = rf"(?:{self._any_of(data.polite)}{self._space})*"
        joint = rf"{self._start}{self._any_of(data.joints, self._space)}"
        return re.compile(rf"(?:{_STOP}|{joint})\s*+{polite}{self._verbs}{self._edge}", re.I)


_ELIDED = ("'", "’")
_ACTIONS = ("remove", "take", "replace", "swap", "mention", "add", "insert", "shorten")


def _verbs(data: _Edits) -> tuple[str, ...]:
    names = (name for action in _ACTIONS for name in (action, f"to_{action}"))
    return (*data.verbs, *(word for name in names for word in data.words.get(name, ())))


def _literal(word: str) -> str:
    words = re.escape(word).replace(r"\ ", r"\s+")
    return words.replace("'", "['’]")


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES and not set(text[1:-1]) & set(_MARKS)


@lru_cache(maxsize=32)
def _read(tag: str) -> _Compiled:
    return _Compiled(tag, read_lists(_Edits, "edits", tag))
