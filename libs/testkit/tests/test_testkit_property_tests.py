"""Property tests try fewer examples in the short form, and all of them where the long forms are asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNTED = """
from hypothesis import given, strategies
from stemma_testkit.plugin import examples

tried = [0, 0]

@given(strategies.integers())
def test_usual(_):
    tried[0] += 1

@examples(40)
@given(strategies.integers())
def test_said(_):
    tried[1] += 1

def test_counted():
    assert tried == {tried}
"""


@pytest.mark.req("E6")
@pytest.mark.parametrize(("selected", "tried"), [("not full", [25, 10]), ("full or not full", [100, 40])])
def test_as_many_examples_are_tried_as_the_form_has(selected: str, tried: list[int], tmp_path: Path) -> None:
    (tmp_path / "test_counted.py").write_text(COUNTED.replace("{tried}", str(tried)))
    plugin = ["-p", "stemma_testkit.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "--rootdir", str(tmp_path), "-m", selected]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, tmp_path], check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stdout
