"""Names of files from outside."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath

_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")


def suffix_of(name: str) -> str:
    """What a name ends in, in small letters and without the dot."""
    return PurePath(name.strip()).suffix.lower().removeprefix(".")


def slug(text: str) -> str:
    """A short name of plain letters, digits and dashes."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _NOT_IN_SLUG.sub("-", plain).strip("-")[:40].rstrip("-") or "input"
