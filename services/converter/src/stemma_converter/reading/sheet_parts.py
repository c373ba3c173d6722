"""What a sheet has beside its values: whether it is hidden, merged cells, comments, images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from stemma_ooxml import Package, worksheets

from . import escaping
from .composing import Composer
from .ranges import in_sheet

_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_SHOWN = 5


@dataclass(frozen=True)
class SheetParts:
    """Beside the values of a sheet."""

    is_hidden: bool = False
    merged: tuple[str, ...] = ()
    hidden: str = ""
    comments: tuple[tuple[str, str], ...] = ()
    pictures: tuple[bytes, ...] = field(default=(), repr=False)

    def put(self, name: str, composer: Composer) -> None:
        """Write comments and images behind the tables of the sheet, and tell the rest."""
        for cell, text in self.comments:
            composer.anchor("sheet", in_sheet(name, cell))
            composer.paragraph(escaping.inline(f"Comment on {cell}: {text}"))
        for picture in self.pictures:
            if shown := composer.image(picture, name, name):
                composer.paragraph(shown)
        if self.is_hidden:
            composer.warn("hidden_sheet", name, "The sheet is hidden in the workbook; it was read all the same.")
        if self.hidden:
            composer.warn("hidden_cells", name, f"Hidden {self.hidden} of the sheet were read all the same.")
        if self.merged:
            more = f" and {len(self.merged) - _SHOWN} more" if len(self.merged) > _SHOWN else ""
            words = f"Merged cells ({', '.join(self.merged[:_SHOWN])}{more}) have their value in the first one alone."
            composer.warn("merged_cells", name, words)


def parts_of_sheets(package: Package) -> dict[str, SheetParts]:
    """The sheets of a workbook by their names, in their order; charts are none."""
    return {sheet.name: _parts(package, sheet.part, not sheet.is_shown) for sheet in worksheets(package)}


def _parts(package: Package, part: str, is_hidden: bool) -> SheetParts:
    root = package.xml_if_there(part)
    if root is None:
        return SheetParts(is_hidden)
    merged = tuple(item.get("ref", "") for item in root.iterfind(".//{*}mergeCell"))
    hidden = [kind for kind, path in (("rows", ".//{*}row"), ("columns", ".//{*}col")) if _any_hidden(root, path)]
    related = package.related(part).values()
    comments = [item for kind, target in related if kind == "comments" for item in _comments(package, target)]
    pictures = [data for kind, target in related if kind == "drawing" for data in _pictures(package, target)]
    return SheetParts(is_hidden, merged, " and ".join(hidden), tuple(comments), tuple(pictures))


def _any_hidden(root: etree._Element, path: str) -> bool:
    return any(item.get("hidden") in ("1", "true") for item in root.iterfind(path))


def _comments(package: Package, part: str) -> Iterator[tuple[str, str]]:
    root = package.xml_if_there(part)
    for comment in root.iterfind(".//{*}comment") if root is not None else ():
        text = escaping.one_line("".join(item.text or "" for item in comment.iterfind(".//{*}t")))
        if text:
            yield comment.get("ref", ""), text


def _pictures(package: Package, part: str) -> Iterator[bytes]:
    root, related = package.xml_if_there(part), package.related(part)
    for blip in root.iterfind(".//{*}blip") if root is not None else ():
        kind, target = related.get(blip.get(_EMBED, ""), ("", ""))
        if kind == "image" and target in package:
            yield package.read(target)
