"""The fonts of the PDF: those in the typesetter, those of packages, and those of a folder that the house names.

Fonts of the machine are left alone, so that the same document has the same pages everywhere.
"""

from __future__ import annotations

from pathlib import Path

import noto_cjk_sans_jp_bold  # type: ignore[import-untyped]
import noto_cjk_sans_jp_regular  # type: ignore[import-untyped]

# Chinese, Japanese and Korean, each with its own forms of the characters.
_PACKAGED = (noto_cjk_sans_jp_regular.FONT_PATH, noto_cjk_sans_jp_bold.FONT_PATH)


def font_folders(house: Path | None) -> tuple[Path, ...]:
    """The folders with fonts; ``house`` is one more."""
    return (*(Path(str(file)).parent for file in _PACKAGED), *([house] if house else ()))
