"""In which language a document is written: the one that its request names, else that of its brief."""

from __future__ import annotations

import asyncio

from stemma_contracts.v1.answers import Problem
from stemma_languages import UnknownLanguage, detect, foreign, language, shipped

from .catalog import Kind

FIELD = "language"


class NoLanguage(ValueError):
    """A language in which no document can be written; the problem names it and those that there are."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


async def in_language_of(kind: Kind, wanted: str | None, brief: str) -> Kind:
    """The kind in the language that is wanted, else that of the brief. Raises `NoLanguage`."""
    tag = _named(wanted) if wanted is not None else await asyncio.to_thread(_heard, brief)
    found = kind.in_language(tag)
    if found is None:
        about = {"kind": kind.blueprint.kind, "language": tag, "known": ", ".join(kind.languages)}
        raise NoLanguage(Problem.of("language_without_titles", FIELD, **about))
    return found


def _named(wanted: str) -> str:
    try:
        return language(wanted).tag
    except UnknownLanguage:
        raise NoLanguage(_unknown("language_unknown", wanted)) from None


def _heard(brief: str) -> str:
    other = foreign(brief)
    if other is not None:
        raise NoLanguage(_unknown("brief_language_unknown", other))
    return detect(brief)


def _unknown(code: str, tag: str) -> Problem:
    return Problem.of(code, FIELD, language=tag[:64], known=", ".join(shipped()))
