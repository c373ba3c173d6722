"""The instruction forms that the offline writer follows, and how an instruction is read.

| form | example |
|---|---|
| shorten | ``Shorten the second paragraph``, ``Make it shorter``, ``Shorten the paragraph about risks`` |
| add | ``Add a sentence about insurance`` |
| remove | ``Remove the sentence about parking``, ``Delete the table``, ``Drop the section Risks`` |
| replace | ``Replace "van" with "bicycle"``, ``Change 12 weeks to 10 weeks`` |
| mention | ``Mention the school holidays``, ``Say that the council pays the rent`` |

Several forms in one instruction are joined by ``and``, ``;``, a full stop or a new line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from .plain import plain


@dataclass(frozen=True)
class Shorten:
    """Fewer sentences in the paragraphs that the target names; an empty target names all."""

    target: str


@dataclass(frozen=True)
class Add:
    """A sentence about the subject, out of the material."""

    subject: str


@dataclass(frozen=True)
class Remove:
    """The sentences, or the named paragraph, list, table or section, that speak of the target."""

    target: str


@dataclass(frozen=True)
class Replace:
    """Some words by others, wherever they stand."""

    old: str
    new: str


@dataclass(frozen=True)
class Mention:
    """A sentence with just these words; ``whole`` if they are a sentence already."""

    subject: str
    whole: bool


Form: TypeAlias = Shorten | Add | Remove | Replace | Mention

_VERBS = (
    "shorten|condense|tighten|cut down|trim|make|add|insert|remove|delete|drop|take out|leave out|replace|change|"
    "rename|swap|mention|say|state|note|include|name|point out"
)
_JOINT = re.compile(
    rf"(?:\s*[;\n]\s*|\.\s+|,?\s+(?:and|then|and then|also)\s+)(?=(?:please\s+|then\s+|also\s+)?(?:{_VERBS})\b)", re.I
)
_POLITE = re.compile(r"^(?:please|then|also|now|can you|could you|kindly)[\s,]+", re.I)
_QUOTES = "\"'“”‘’«»`"

_REPLACE = re.compile(r"^(?:replace|change|rename|swap)\s+(.+?)\s+(?:with|by|to|into|for)\s+(.+)$", re.I | re.S)
_SHORTEN = re.compile(r"^(?:shorten|condense|tighten|trim|cut down)\b\s*(.*)$", re.I | re.S)
_MAKE_SHORTER = re.compile(
    r"^make\s+(.*?)\s*(?:much\s+|a bit\s+|a little\s+)?(?:shorter|more concise|briefer)$", re.I | re.S
)
_ADD = re.compile(
    r"^(?:add|insert)\s+(?:(?:a|one|another|some|more)\s+)?(?:(?:short\s+)?(?:sentence|paragraph|line|words?|note|detail)s?\s+)?"
    r"(?:about|on|regarding|concerning|that\s+mentions)\s+(.+)$",
    re.I | re.S,
)
_REMOVE = re.compile(r"^(?:remove|delete|drop|take out|leave out)\s+(.+)$", re.I | re.S)
_SAY_THAT = re.compile(r"^(?:say|state|note|mention|add|include|point out)\s+that\s+(.+)$", re.I | re.S)
_MENTION = re.compile(r"^(?:mention|name|include|note|point out|add)\s+(.+)$", re.I | re.S)


def read_instruction(instruction: str) -> tuple[list[Form], list[str]]:
    """The forms that an instruction is made of, and the parts that are none of them."""
    forms: list[Form] = []
    unknown: list[str] = []
    for part in _parts(instruction):
        form = _form(part)
        if form:
            forms.append(form)
        else:
            unknown.append(part)
    return forms, unknown


def _parts(instruction: str) -> list[str]:
    parts = (_POLITE.sub("", re.sub(r"^[-*]\s+", "", part.strip())) for part in _JOINT.split(instruction))
    return [part.rstrip(" .;!") for part in parts if part.strip(" .;!")]


def _form(part: str) -> Form | None:
    if match := _REPLACE.match(part):
        return Replace(_bare(match.group(1)), _bare(match.group(2)))
    if match := _SHORTEN.match(part) or _MAKE_SHORTER.match(part):
        return Shorten(_bare(match.group(1)))
    if match := _SAY_THAT.match(part):
        return Mention(_words(match.group(1)), whole=True)
    if match := _ADD.match(part):
        return Add(_words(match.group(1)))
    if match := _REMOVE.match(part):
        return Remove(_bare(match.group(1)))
    if match := _MENTION.match(part):
        return Mention(_words(match.group(1)), whole=False)
    return None


def _bare(text: str) -> str:
    text = text.strip()
    quoted = re.fullmatch(rf"(?:the (?:word|words|phrase|name|term)\s+)?[{_QUOTES}](.+)[{_QUOTES}]", text, re.S | re.I)
    return quoted.group(1) if quoted else text


def _words(text: str) -> str:
    return plain(_bare(text))
