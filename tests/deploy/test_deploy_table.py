"""One table says which programs run in containers; the compose file and the queues of the server agree with it."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from composition import FILE, ROOT
from stemma_provisioning.topology import consumers

PROGRAMS = ROOT / "deploy" / "compose" / "programs.py"
TABLE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "kubernetes" / "services.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for file in (PROGRAMS, FILE, ROOT / "deploy" / "kubernetes" / "services.yaml"):
        copied = tmp_path / file.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def programs(checkout: Path, *arguments: str) -> int:
    command = [sys.executable, str(checkout / PROGRAMS.relative_to(ROOT)), *arguments]
    return subprocess.run(command, check=False, capture_output=True).returncode


def change(checkout: Path, table: dict[str, Any]) -> None:
    (checkout / "deploy" / "kubernetes" / "services.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")


@pytest.mark.req("E7", "O4")
def test_a_change_of_the_table_is_a_change_of_the_compose_file(checkout: Path) -> None:
    assert programs(checkout, "--check") == 0
    table = copy.deepcopy(TABLE)
    table["validator"]["variables"]["STEMMA_VALIDATOR_SLOTS"] = "8"
    change(checkout, table)
    assert programs(checkout, "--check") == 1
    assert programs(checkout) == 0
    written = yaml.safe_load((checkout / FILE.name).read_text(encoding="utf-8"))["services"]
    before = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    before["validator"]["environment"]["STEMMA_VALIDATOR_SLOTS"] = "8"
    assert written == before


@pytest.mark.req("E7", "O4")
def test_every_program_of_the_compose_file_is_in_the_table_and_the_other_way_round() -> None:
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    assert {name for name, service in services.items() if "build" in service} == TABLE.keys()
    assert {server for entry in TABLE.values() for server in entry["after"]} <= services.keys()


@pytest.mark.req("O4")
def test_a_program_takes_work_from_the_consumers_that_the_server_has_for_it() -> None:
    known = {(consumer.owner, consumer.stream, consumer.durable) for consumer in consumers()}
    named = {
        (name, entry["queues"]["stream"], consumer)
        for name, entry in TABLE.items()
        for consumer in entry.get("queues", {}).get("consumers", [])
    }
    assert named <= known
    assert {queue for queue in known if queue[1] == "JOBS"} <= named


@pytest.mark.req("O4", "O1")
def test_what_runs_again_and_again_is_something_that_its_program_knows() -> None:
    again = {entry["image"]["program"]: entry["again"]["command"] for entry in TABLE.values() if "again" in entry}
    for name, command in again.items():
        known = subprocess.run([str(Path(sys.executable).with_name(name)), "--help"], check=True, capture_output=True)
        assert {*command} <= {*known.stdout.decode().split()}
    assert again
