"""Templates and fonts: checked when the service starts, so that an error names the file.

Fonts of the machine are not used, so that the same document has the same pages everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import noto_cjk_sans_jp_bold  # type: ignore[import-untyped]
import noto_cjk_sans_jp_regular  # type: ignore[import-untyped]

WORD_TEMPLATE = "template.docx"
_NEEDED = ("document.html", "document.typ", "media.lua", WORD_TEMPLATE)
_PARTS = {"word/document.xml", "word/styles.xml"}
# Chinese, Japanese and Korean, each with its own forms of the characters.
_PACKAGED = (noto_cjk_sans_jp_regular.FONT_PATH, noto_cjk_sans_jp_bold.FONT_PATH)


def problems(config: Path, house_template: Path | None, fonts: Path | None = None) -> Iterator[str]:
    """What is wrong with the files of a config folder, and with the Word template and the fonts of a house, by line."""
    for name in _NEEDED:
        if not (config / name).is_file():
            yield f"{name}: file is missing"
    if house_template is not None and not house_template.is_file():
        yield f"template: there is no file {house_template.name}"
    if fonts is not None and not fonts.is_dir():
        yield f"fonts: there is no folder {fonts.name}"
    for file in filter(None, (config / WORD_TEMPLATE, house_template)):
        if file.is_file() and not _is_word_document(file):
            yield f"{file.name}: not a Word document"


def _is_word_document(file: Path) -> bool:
    try:
        with ZipFile(file) as package:
            return set(package.namelist()) >= _PARTS
    except (BadZipFile, OSError):
        return False


def font_folders(house: Path | None) -> tuple[Path, ...]:
    return (*(Path(str(file)).parent for file in _PACKAGED), *([house] if house else ()))
