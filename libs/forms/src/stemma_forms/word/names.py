"""Names of WordprocessingML (ECMA-376 part 1, transitional)."""

from __future__ import annotations

MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{MAIN}}}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
ON = ("1", "true", "on")


def is_on(value: str | None) -> bool:
    """What a switch means: it is on when it is there and does not say otherwise."""
    return value is None or value in ON
