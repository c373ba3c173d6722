"""Each release that stood before is a commit of this repository, and this one is called the same everywhere."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from composition import ROOT

PROGRAM = ROOT / "deploy" / "release.py"
RELEASES: dict[str, Any] = tomllib.loads((ROOT / "deploy" / "releases.toml").read_text(encoding="utf-8"))
THIS: str = tomllib.loads((ROOT / "contracts" / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def git(*arguments: str, at: Path = ROOT) -> str:
    return subprocess.run(["git", "-C", str(at), *arguments], capture_output=True, text=True, check=True).stdout


def dated() -> list[str]:
    return re.findall(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.req("O6")
def test_every_package_and_the_chart_and_the_gateway_are_of_the_release_that_the_changelog_begins_with() -> None:
    packages = [path for folder in ("contracts", "deploy/*", "libs/*", "services/*") for path in ROOT.glob(folder)]
    found = [path / "pyproject.toml" for path in packages if (path / "pyproject.toml").exists()]
    assert len(found) > 20
    assert {tomllib.loads(path.read_text("utf-8"))["project"]["version"] for path in found} == {THIS}
    chart = yaml.safe_load((ROOT / "deploy" / "kubernetes" / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (THIS, THIS)
    assert json.loads((ROOT / "services" / "gateway" / "openapi.json").read_text("utf-8"))["info"]["version"] == THIS
    assert dated() == [THIS, *RELEASES]


@pytest.mark.req("O6", "F5")
@pytest.mark.parametrize("version", RELEASES)
def test_a_release_that_stood_before_is_its_commit_and_its_samples_are_as_they_were(version: str) -> None:
    commit = RELEASES[version]["commit"]
    assert f'version = "{version}"' in git("show", f"{commit}:contracts/pyproject.toml")
    folder = f"contracts/golden/{version}"
    assert git("diff", "--stat", commit, "--", folder) == "", f"what is new belongs to contracts/golden/{THIS}"


@pytest.mark.req("O6")
def test_a_clone_without_the_commit_of_a_release_says_so_by_name(tmp_path: Path) -> None:
    [version] = RELEASES
    shallow = tmp_path / "shallow"
    git("clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(shallow))
    for file in (PROGRAM, PROGRAM.with_name("releases.toml")):
        (shallow / "deploy" / file.name).write_bytes(file.read_bytes())
    command = [sys.executable, str(shallow / "deploy" / "release.py"), version, str(tmp_path / "built")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == (
        f"release {version} is commit {RELEASES[version]['commit']}, which this clone does not have:"
        " run `git fetch --unshallow`\n"
    )
    assert not (tmp_path / "built").exists()


@pytest.mark.req("O6")
def test_a_release_that_is_not_known_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAM), "0.0.9", str(tmp_path / "built")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "release 0.0.9 is none of 0.1.0, which releases.toml has\n")
