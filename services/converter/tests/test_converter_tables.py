"""Tables of the PDF that are told to be short or long by their rows and letters, and not measured."""

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typst
from stemma_converter.converter import Converter

SHORT = 170.08
"""6 cm, in points."""
CELLS = ("", "one", "WWWW MMMM", "*strong words* and _others_", "`of a kind`", 'Größe, "so"', "配送計画", "so " * 12)
ROWS = (1, 4, 20)
COLUMNS = (("100%",), ("50%", "50%"), ("20%", "70%", "10%"))
ASKED = """
#context {
  let told(it) = (
    least: height-at-least(it).pt(), is: measure(it, width: 16.2cm).height.pt(), most: height-at-most(it).pt(),
  )
  [#metadata(query(figure.where(kind: table)).map(told)) <told>]
}
"""
NAMES = ("title", "author", "company", "origin", "page_of")
FACTS = {"language": {"lang": "en"}, "created": {"year": 2025, "month": 1, "day": 1}} | dict.fromkeys(NAMES, "")


@pytest.mark.req("G13")
def test_a_table_is_as_high_as_its_rows_and_letters_tell(converter: Converter, tmp_path: Path) -> None:
    """Else one that is not measured would leave more of a page empty than it may, or be divided for nothing."""
    told = heights(tables(), converter, tmp_path)
    assert len(told) == len(CELLS) * len(ROWS) * len(COLUMNS)
    assert [table for table in told if not table["least"] <= table["is"] <= table["most"]] == []
    assert sum(table["most"] < SHORT for table in told) > len(told) / 3
    assert sum(table["least"] > SHORT for table in told) == len(told) / 3


@pytest.mark.req("G13")
def test_what_is_no_text_is_not_told_to_be_short(converter: Converter, tmp_path: Path) -> None:
    (told,) = heights([figure(("100%",), "[#rect(height: 9cm)]")], converter, tmp_path)
    assert told["most"] > told["is"] > SHORT


@pytest.mark.req("G13")
@pytest.mark.parametrize("columns", ["", "columns: (), "])
def test_a_table_whose_columns_are_not_stated_is_measured(columns: str, converter: Converter, tmp_path: Path) -> None:
    """It has one; who divided its cells into rows by what is not stated could not set it at all."""
    table = f"#figure(table({columns}..range(100).map(it => [])), kind: table)"
    pages = compiler_of([table], converter, tmp_path).compile(format="svg")
    assert isinstance(pages, list)
    assert len(pages) == 2


def heights(figures: Sequence[str] | Iterator[str], converter: Converter, folder: Path) -> Any:
    """What each table has at most, and what it has, in points."""
    compiler = compiler_of([*figures, ASKED], converter, folder)
    return json.loads(compiler.query("<told>", field="value", one=True))


def compiler_of(body: Sequence[str], converter: Converter, folder: Path) -> typst.Compiler:
    """A document of the template."""
    template = (converter.config / "document.typ").read_text(encoding="utf-8").partition("// The cover.")[0]
    (folder / "facts.json").write_text(json.dumps(FACTS), encoding="utf-8")
    (folder / "main.typ").write_text(template + "".join(body), encoding="utf-8")
    return typst.Compiler(folder / "main.typ", root=folder, font_paths=list(converter.fonts))


def tables() -> Iterator[str]:
    """Tables of all kinds of words, each with a caption of the same words."""
    for cell, rows, columns in product(CELLS, ROWS, COLUMNS):
        yield figure(columns, f"[{cell}], " * rows * len(columns), f"caption: [{cell}], ")


def figure(columns: Sequence[str], cells: str, caption: str = "") -> str:
    """A table as pandoc writes it."""
    return f"#figure(align(center)[#table(columns: ({', '.join(columns)},), {cells})], {caption}kind: table)\n\n"
