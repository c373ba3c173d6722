"""What the style of a cell says: whether it is locked, and what its number format shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from .names import S

_GENERAL, _TEXT = 0, 49
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')


@dataclass(frozen=True)
class Style:
    """``framed``: a border or a fill shows the cell as a box to write in."""

    locked: bool = True
    shows_date: bool = False
    shows_number: bool = False
    framed: bool = False


PLAIN = Style()


def read_styles(root: etree._Element | None) -> tuple[Style, ...]:
    """The styles of a workbook in the order by which cells name them."""
    if root is None:
        return ()
    codes = {f.get("numFmtId", ""): f.get("formatCode", "") for f in root.iter(f"{S}numFmt")}
    formats = root.find(f"{S}cellXfs")
    return () if formats is None else tuple(_style(xf, codes) for xf in formats.iter(f"{S}xf"))


def _style(xf: etree._Element, codes: dict[str, str]) -> Style:
    protection = xf.find(f"{S}protection")
    number = xf.get("numFmtId", "0")
    is_date = _is_date(number, codes.get(number))
    return Style(
        locked=protection is None or protection.get("locked", "1") in ("1", "true"),
        shows_date=is_date,
        shows_number=not is_date and number not in (str(_GENERAL), str(_TEXT)),
        framed=xf.get("borderId", "0") != "0" or xf.get("fillId", "0") not in ("0", "1"),
    )


def _is_date(number: str, code: str | None) -> bool:
    if code is None:
        return number.isdigit() and int(number) in _DATES
    return bool(re.search(r"[dmyh]", _NOT_SHOWN.sub("", code).casefold()))
