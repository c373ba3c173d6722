"""Neither a contract nor what is committed of it goes without a word."""

import shutil
import subprocess
import sys
from pathlib import Path

import generate
import pytest
from contract_tools.schemas import lost
from stemma_contracts import Registry, registry

JOB = "stemma.convert.document.v1"
SCHEMA, SAMPLE = f"schemas/{JOB}.json", f"golden/0.1.0/{JOB}.json"
SCHEMA_GONE = f"{JOB}: its schema is gone, which tells what its readers expect: bring it back; read by converter"
SAMPLE_GONE = f"{JOB}: its golden sample is gone, which is decoded for ever: bring it back; read by converter"


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns("src", "tests", "__pycache__")
    return shutil.copytree(generate.ROOT, tmp_path / "contracts", ignore=ignore)


def test_nothing_is_lost_of_what_is_committed() -> None:
    assert list(lost(generate.ROOT)) == []


@pytest.mark.req("E2")
def test_a_contract_that_is_gone_is_named_with_its_readers(committed: Path) -> None:
    later = Registry()
    for entry in registry.entries():
        name = "stemma.turn.document.v1" if entry.ce_type == JOB else entry.ce_type
        later.contract(name, entry.family, entry.service)(entry.cls)
    told = [line for line in lost(committed, later) if "read by nobody" not in line]  # that is old versions
    assert told == [f"{JOB}: the contract is gone; released contracts stay; read by converter"]


@pytest.mark.req("E2")
def test_a_committed_file_that_is_gone_is_named_and_of_an_old_version_the_sample_stays(committed: Path) -> None:
    old = "golden/0.1.0/stemma.refused.status.v1.json"
    for removed, told in (
        ([SCHEMA], [SCHEMA_GONE]),
        ([SAMPLE], [SAMPLE_GONE]),
        ([SCHEMA, SAMPLE], [SCHEMA_GONE, SAMPLE_GONE]),
        ([old], ["stemma.refused.status.v1: its golden sample is gone"]),
        (["asyncapi.yaml"], ["asyncapi.yaml is gone"]),
    ):
        kept = {name: (committed / name).read_bytes() for name in removed}
        for name in removed:
            (committed / name).unlink()
        found = list(lost(committed))
        assert [line[: len(words)] for line, words in zip(found, told, strict=True)] == told
        for name, content in kept.items():
            (committed / name).write_bytes(content)


@pytest.mark.req("E2")
def test_what_changes_are_checked_against_is_not_written_anew(committed: Path) -> None:
    (committed / SCHEMA).unlink()
    (committed / SAMPLE).unlink()
    command = [sys.executable, str(committed / "generate.py")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr.splitlines()) == (1, [SCHEMA_GONE, SAMPLE_GONE])
    assert not (committed / SCHEMA).exists()
