"""The languages that pages have, and the words of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import Request

LANGUAGES = ("en", "de")


def language_of(request: Request) -> str:
    """The language of the desk that a browser likes best, else English."""
    for wanted in sorted(request.headers.get("accept-language", "").split(","), key=_dislike):
        if (tag := wanted.partition(";")[0].strip().lower().partition("-")[0]) in LANGUAGES:
            return tag
    return LANGUAGES[0]


def _dislike(wanted: str) -> float:
    try:
        return -float(wanted.partition("q=")[2] or 1)
    except ValueError:
        return 0


@cache
def words(language: str) -> Mapping[str, str]:
    """The words of the desk in a language; a page may have some in a file of its own, ``en.editing.json``."""
    found: dict[str, str] = {}
    for file in (files("stemma_gateway") / "desk" / "words").iterdir():
        if file.name.startswith(f"{language}."):
            found |= json.loads(file.read_text(encoding="utf-8"))
    return found
