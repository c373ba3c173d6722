"""The steps of an image install what runs in it."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from composition import fresh_variables, load
from images import built

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
SECOND_LINTER = """
import subprocess
from stemma_validator.engines.markdownlint import Installation, packaged_node, packages_folder
installed = Installation(packaged_node(), packages_folder())
subprocess.run([installed.node, installed.program, "--version"], check=True)
"""


@pytest.mark.req("E1")
def test_every_image_is_built_by_its_steps_and_its_program_begins(tmp_path: Path) -> None:
    for build in set(load(fresh_variables()).builds().values()):
        image = built(build, tmp_path / build.program)
        helped = subprocess.run(image.command(["--help"]), check=True, capture_output=True, text=True)
        assert f"usage: {build.program}" in helped.stdout


@pytest.mark.req("V3")
def test_the_image_of_the_validator_has_the_second_linter_if_it_is_asked_for(tmp_path: Path) -> None:
    validator = load(fresh_variables()).builds()["validator"]
    image = built(replace(validator, arguments=(*validator.arguments, ("EXTRA", "[markdownlint]"))), tmp_path)
    command = [str(image.programs / "python"), "-c", SECOND_LINTER]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "0.50.0\n"
