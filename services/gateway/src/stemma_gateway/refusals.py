"""Why something was not done, as pages tell it: our sentences in their language, those of others as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup
from stemma_contracts.problems import sentence
from stemma_contracts.v1.answers import Problem

from .languages import LANGUAGES, words
from .phrases import Phrases, in_other_words, phrases
from .problems import ProblemDetails

WRITTEN_IN = LANGUAGES[0]
"""What programs write problems in."""
_NAMED = re.compile(r"([a-z_]+(?:\.\w+)*): (.+)", re.DOTALL)
"""A problem with the field that it is about."""


@dataclass(frozen=True)
class Reason:
    """One thing that is wrong: what people call the field, empty where the words say it, and the words.

    ``is_foreign``: they are in another language than the page.
    """

    field: str
    words: str
    is_foreign: bool


def reasons(problem: ProblemDetails, language: str) -> tuple[Reason, ...]:
    """All that is wrong, in a language of the desk as far as it has it."""
    if problem.problems:
        return tuple(_coded(each, language) for each in problem.problems)
    whole = _reason("", problem.detail, language)
    named = _NAMED.fullmatch(problem.detail)
    return (_reason(named[1], named[2], language) if named and (whole.is_foreign or language == WRITTEN_IN) else whole,)


def reasons_shown(problem: ProblemDetails, language: str) -> Markup:
    """The same as HTML on one line."""
    return Markup("; ").join(_shown(reason) for reason in reasons(problem, language))


def title_of(problem: ProblemDetails, language: str) -> str:
    """What the status of an answer is called."""
    if language == WRITTEN_IN:
        return problem.title
    titles: Mapping[str, str] = _catalogue(language)["statuses"]
    return titles.get(str(problem.status), problem.title)


def _coded(problem: Problem, language: str) -> Reason:
    said = problem.message if language == WRITTEN_IN else sentence(problem.code, problem.params, language)
    return _reason(problem.field, problem.message, language, said or "")


def _reason(field: str, said: str, language: str, known: str = "") -> Reason:
    label = words(language).get(f"field_{field.rpartition('.')[2]}", "")
    if language == WRITTEN_IN:
        return Reason(label or field, said, False)
    known = known or in_other_words(said, _phrases(language))
    is_sentence = known[:1].isupper() or not known[:1].isalpha()
    return Reason("" if known and is_sentence else label or field, known or said, not known)


def _shown(reason: Reason) -> Markup:
    field = Markup("{}: ").format(reason.field) if reason.field else ""
    said = Markup('<bdi lang="{}">{}</bdi>').format(WRITTEN_IN, reason.words) if reason.is_foreign else reason.words
    return Markup("{}{}").format(field, said)


@cache
def _phrases(language: str) -> Phrases:
    return phrases(_catalogue(language)["said"])


@cache
def _catalogue(language: str) -> Mapping[str, Any]:
    file = files("stemma_gateway") / "desk" / "refusals" / f"{language}.json"
    catalogue: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return catalogue
