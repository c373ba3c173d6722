"""Tests that are collected once and run by copies: what comes of them is told as if they had run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stemma_testkit.one_installation import scope_of

MAKING = r"""
import os, pathlib, pytest

pathlib.Path("collected").open("a").write(f"{os.getpid()}\n")

@pytest.fixture(scope="session")
def made():
    yield os.getpid()
    pathlib.Path("ended").open("a").write(f"{os.getpid()}\n")
"""
PASSING = """
import os, pathlib, warnings

def here(request):
    pathlib.Path("ran").open("a").write(f"{request.node.path.name} {os.getpid()}\\n")

def test_first(made, request, tmp_path):
    here(request)
    assert made == os.getpid()
    (tmp_path / "file").touch()

def test_second(made, request, tmp_path):
    here(request)
    assert list(tmp_path.iterdir()) == []
    warnings.warn("an old word")
"""
FAILING = """
def test_that_fails():
    print("said before")
    assert [1] == [2]
"""
SHARING = """
import os, pathlib, pytest

@pytest.fixture(scope="session")
def stemma():
    pathlib.Path("shared").open("a").write(f"{os.getpid()}\\n")
"""
SHARED = """
def test_that_shares(stemma):
    pass
"""
DYING = """
import os

def test_that_ends_its_process():
    os._exit(7)

def test_behind_it():
    pass
"""


def run(folder: Path, files: dict[str, str], *options: str) -> tuple[int, str]:
    """Run a suite in two copies; the exit status and what is printed."""
    for name, text in {"conftest.py": MAKING, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "stemma_testkit.copied_workers"]
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        [*command, "--workers", "2", "--rootdir", folder, *options],
        check=False,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.req("E6")
def test_each_file_is_run_by_one_copy_and_what_comes_of_it_is_told(tmp_path: Path) -> None:
    names = [f"test_{letter}.py" for letter in "abc"]
    status, printed = run(tmp_path, dict.fromkeys(names, PASSING) | {"test_d.py": FAILING, "test_e.py": DYING})
    assert status == pytest.ExitCode.TESTS_FAILED, printed
    assert "assert [1] == [2]" in printed
    assert "said before" in printed
    assert "the worker ended in this test, with 7" in printed
    assert "UserWarning: an old word" in printed
    assert re.search(r"^2 failed, 7 passed, 3 warnings in", printed, re.MULTILINE), printed
    ran = {tuple(line.split()) for line in (tmp_path / "ran").read_text().splitlines()}
    assert sorted(name for name, _ in ran) == names
    copies, ended = {copy for _, copy in ran}, (tmp_path / "ended").read_text().split()
    assert len(ended) == len({*ended} & copies) >= 1, (
        "what a copy has made for all its files it has made and ended once"
    )
    assert len((tmp_path / "collected").read_text().split()) == 1


@pytest.mark.req("E6")
def test_the_first_failure_ends_all_where_that_is_asked_for(tmp_path: Path) -> None:
    files = {"test_a.py": FAILING} | {f"test_{letter}.py": PASSING for letter in "bcdefghij"}
    status, printed = run(tmp_path, files, "-x")
    assert status == pytest.ExitCode.TESTS_FAILED, printed
    assert "stopping after 1 failures" in printed
    assert len((tmp_path / "ran").read_text().splitlines()) < 18


@pytest.mark.req("E6")
def test_files_that_share_an_installation_are_run_by_one_copy_and_the_others_of_their_folder_by_any(
    tmp_path: Path,
) -> None:
    files = {"conftest.py": SHARING} | {f"test_{letter}.py": SHARED for letter in "abc"}
    alone = {f"test_alone_{letter}.py": PASSING.replace("made, ", "").replace("made == ", "") for letter in "abc"}
    e2e = {f"tests/e2e/{name}": text for name, text in (files | alone).items()}
    status, printed = run(tmp_path, e2e, "--import-mode=importlib")
    assert status == pytest.ExitCode.OK, printed
    assert len((tmp_path / "shared").read_text().split()) == 1
    [sharing] = (tmp_path / "shared").read_text().split()
    assert {line.split()[1] for line in (tmp_path / "ran").read_text().splitlines()} - {sharing}


@pytest.mark.req("E6")
def test_files_that_parse_all_sources_are_run_by_one_copy() -> None:
    of = [scope_of(f"tests/architecture/test_{letter}.py::test_it") for letter in "ab"]
    assert of[0] == of[1] != scope_of("tests/deploy/test_a.py::test_it")
