"""What ``make check`` tells first."""

import re
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"


@pytest.mark.req("E2")
def test_a_broken_contract_is_told_before_what_it_breaks() -> None:
    recipe = MAKEFILE.read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    commands = re.findall(r"^\t@(.*)", recipe, re.MULTILINE)
    assert commands[0] == "$(BIN)/python contracts/generate.py --check"
