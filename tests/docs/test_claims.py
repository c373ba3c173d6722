"""What pages say about numbers, and what their commands build, is what the code does."""

import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from functools import cache
from math import prod
from pathlib import Path

import pytest
import yaml
from stemma_contracts import MAX_REQUEST_BYTES, subjects
from stemma_provisioning import inbox_prefix
from stemma_provisioning.bounds import PREFIX, Bounds
from stemma_provisioning.permissions import person_inbox
from stemma_provisioning.topology import (
    ACK_WAIT_S,
    LONGER_ACK_WAIT_S,
    NOTICES_WAITING,
    PIECE,
    REQUESTS_IN_HAND,
    streams,
    waits_s,
)

ROOT = Path(__file__).parents[2]
DEFAULT = re.compile(r"^    (\w+): (?:int|float) = (?:Field\(default=)?([\d._]+(?: ?\*+ ?[\d._]+)*)", re.MULTILINE)
KIB = 1024
DAY_S = 86_400
WORDS = {3: "three", 7: "seven", 12: "twelve"}
STREAMS = {stream.name: stream for stream in streams()}
ANSWERS_DAYS = int(STREAMS[subjects.ANSWERS].max_age or 0) // DAY_S


@cache
def settings() -> Mapping[str, set[float]]:
    """What each number that can be set is by default, read from the files of services: none of them is loaded."""
    found: dict[str, set[float]] = {}
    for file in (*ROOT.glob("services/*/src/*/app.py"), *ROOT.glob("libs/*/src/*/settings.py")):
        for name, number in DEFAULT.findall(file.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(
                prod(float(factor) for factor in number.replace("**3", "*1024*1024").split("*"))
            )
    for file in ROOT.glob("services/*/config/settings.toml"):
        top = tomllib.loads(file.read_text(encoding="utf-8"))
        for name, value in [
            *top.items(),
            *((k, v) for one in top.values() if isinstance(one, dict) for k, v in one.items()),
        ]:
            if isinstance(value, int | float):
                found.setdefault(name, set()).add(float(value))
    variables = {f"{PREFIX}{name.upper()}": {float(value)} for name, value in vars(Bounds()).items()}
    return found | variables


def setting(name: str) -> float:
    [value] = settings()[name]
    return value


CLAIMS = [
    ("docs/nats.md", f"A request of more than {MAX_REQUEST_BYTES // KIB} KiB is rejected"),
    (
        "docs/nats.md",
        f"What has more than {(STREAMS[subjects.REQUESTS].max_msg_size or 0) // KIB} KiB, headers included",
    ),
    ("docs/nats.md", f"kept under that id for {WORDS[ANSWERS_DAYS]} days"),
    ("docs/nats.md", f"`{inbox_prefix('<user>')}` of a program, `{person_inbox('<person>')}` of a person"),
    ("contracts/asyncapi.yaml", f"A body of more than {MAX_REQUEST_BYTES // KIB} KiB is rejected"),
    ("ARCHITECTURE.md", f"where it stays for {WORDS[ANSWERS_DAYS]} days"),
    ("docs/notifications.md", f"once, and for {WORDS[int(setting('link_days'))]} days"),
    ("docs/notifications.md", f"within {setting('limit_s'):.0f} seconds"),
    ("docs/notifications.md", f"after {setting('rest_s'):.0f} seconds, then twice as long each time"),
    ("docs/notifications.md", f"at most {setting('longest_rest_s') / 60:.0f} minutes"),
    (
        "docs/failures.md",
        f"after {LONGER_ACK_WAIT_S:.0f} s (`ack_wait`), {ACK_WAIT_S:.0f} s of the validator",
    ),
    ("docs/failures.md", "after {:.0f} s (`ack_wait`), then {:.0f}, then {:.0f};".format(*waits_s(ACK_WAIT_S))),
    ("docs/http.md", f"after {WORDS[int(setting('cookie_longest_s') / 3600)]} hours in any case"),
    ("docs/security.md", f"Uploads are counted in chunks of {PIECE // KIB} KiB"),
    ("docs/security.md", f"At most {REQUESTS_IN_HAND} of each tenant are in hand at a time"),
    ("docs/security.md", f"took more than {setting('conversion_limit_s'):.0f} s"),
    ("docs/notifications.md", f"At most {NOTICES_WAITING:,} notifications wait for each rule"),
]


@pytest.mark.parametrize(("page", "claim"), CLAIMS)
def test_a_number_on_a_page_is_that_of_the_code(page: str, claim: str) -> None:
    assert claim in " ".join((ROOT / page).read_text(encoding="utf-8").split())


BESIDE = re.compile(r"`(\w+)`(?: of the [\w-]+)?,? \(?(\d[\d,]*)( GiB)?\b")
BEFORE = re.compile(r"(\d[\d,]*)(?: (?:s|bytes|characters|minutes))? \(`(\w+)`\)")


def wrong_numbers(text: str) -> list[tuple[str, float]]:
    """The settings with a number beside them that is not their default."""
    found = [*BESIDE.findall(text), *((name, number, "") for number, name in BEFORE.findall(text))]
    said = [(name, float(number.replace(",", "")) * (1024**3 if unit else 1)) for name, number, unit in found]
    return [(name, number) for name, number in said if (values := settings().get(name)) and number not in values]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_a_number_beside_a_setting_is_its_default(page: Path) -> None:
    assert wrong_numbers(" ".join(page.read_text(encoding="utf-8").split())) == []


def test_a_number_that_is_not_the_default_of_a_setting_is_found() -> None:
    said = ("within 21 s (`asks_within_s`)", "`max_open_jobs`, 1,001", "`max_stored_bytes` of the orchestrator, 20 GiB")
    assert [len(wrong_numbers(text)) for text in said] == [1, 1, 0]


@pytest.mark.req("E7")
def test_the_images_that_the_page_builds_are_pushed_and_are_those_of_the_chart(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    [script] = re.findall(r"^   ```text\n(   TAG=.*?)^   ```$", page, re.MULTILINE | re.DOTALL)
    docker, log = tmp_path / "docker", tmp_path / "log"
    docker.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    docker.chmod(0o700)
    subprocess.run(["bash", "-ec", script], cwd=ROOT, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=True)

    lines = [line.split() for line in log.read_text().splitlines()]
    built = {words[words.index("-t") + 1] for words in lines if words[0] == "build"}
    chart = ROOT / "deploy" / "kubernetes"
    version = yaml.safe_load((chart / "Chart.yaml").read_text())["appVersion"]
    packages = re.findall(r"package: ([\w-]+)", (chart / "services.yaml").read_text())
    assert built == {f"registry.example/{package}:{version}" for package in packages}
    assert {words[1] for words in lines if words[0] == "push"} == built
