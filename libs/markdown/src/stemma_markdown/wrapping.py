"""The fence that a model puts around its whole answer."""

from __future__ import annotations

import re

from .document import fences

_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*(\w*)[ \t]*")


def unwrapped(text: str, *languages: str) -> str:
    """A text without the fence around all of it, if that names no language or one of ``languages``.

    With words before or after the fence, or where a plain fence ends before the text does, the text stays as it is.
    """
    whole = text.strip()
    first, _, rest = whole.partition("\n")
    found = _OPENING.fullmatch(first.rstrip())
    if not found or not rest.endswith("\n" + found[1]):
        return text
    goes_around = found[2] in languages if found[2] else fences(whole)[0].last_line > whole.count("\n")
    return rest[: -len(found[1]) - 1] if goes_around else text
