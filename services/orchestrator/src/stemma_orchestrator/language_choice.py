"""In which language a document is written: the one that its request names, else that of its brief."""

from __future__ import annotations

import asyncio

from stemma_languages import UnknownLanguage, detect, foreign, language, shipped

from .catalog import Kind


class NoLanguage(ValueError):
    """A language in which no document can be written; the message names it and those that there are."""


async def in_language_of(kind: Kind, wanted: str | None, brief: str) -> Kind:
    """The kind in the language that is wanted, else that of the brief. Raises `NoLanguage`."""
    tag = _named(wanted) if wanted is not None else await asyncio.to_thread(_heard, brief)
    found = kind.in_language(tag)
    if found is None:
        there = ", ".join(kind.languages)
        raise NoLanguage(f"{kind.blueprint.kind} has no titles in {tag!r}; name a language that it has: {there}")
    return found


def _named(wanted: str) -> str:
    try:
        return language(wanted).tag
    except UnknownLanguage as error:
        raise NoLanguage(str(error)) from None


def _heard(brief: str) -> str:
    other = foreign(brief)
    if other is not None:
        raise NoLanguage(f"the brief is in {other!r}, which is not known; name one of these: {', '.join(shipped())}")
    return detect(brief)
