"""The table of docs/failures.md: one test a line, and no test of a line that is not there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINE = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
MARK = re.compile(r"^@pytest\.mark\.failure\(\"([a-z-]+)\"\)$", re.MULTILINE)


@pytest.mark.req("P17")
def test_every_line_of_the_table_of_failures_has_a_test_and_the_other_way_round() -> None:
    table = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
    folders = ("contracts", "libs", "deploy", "services", "tests")
    files = [path for folder in folders for path in (ROOT / folder).rglob("test_*.py")]
    marked = {mark for path in files for mark in MARK.findall(path.read_text(encoding="utf-8"))}
    assert (lines := LINE.findall(table))
    assert sorted(lines) == sorted(marked)
