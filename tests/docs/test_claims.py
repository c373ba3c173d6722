"""What pages say about numbers, and what their commands build, is what the code does."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from stemma_contracts import MAX_MESSAGE_BYTES, subjects
from stemma_notifier.app import NotifierSettings
from stemma_provisioning import inbox_prefix
from stemma_provisioning.permissions import person_inbox
from stemma_provisioning.topology import NOTICES_WAITING, streams

ROOT = Path(__file__).parents[2]
KIB = 1024
DAY_S = 86_400
WORDS = {7: "seven"}
STREAMS = {stream.name: stream for stream in streams()}
NOTIFIER = NotifierSettings()
ANSWERS_DAYS = int(STREAMS[subjects.ANSWERS].max_age or 0) // DAY_S
CLAIMS = [
    ("docs/nats.md", f"A request of more than {MAX_MESSAGE_BYTES // KIB} KiB is rejected"),
    (
        "docs/nats.md",
        f"What has more than {(STREAMS[subjects.REQUESTS].max_msg_size or 0) // KIB} KiB, headers included",
    ),
    ("docs/nats.md", f"kept under that id for {WORDS[ANSWERS_DAYS]} days"),
    ("docs/nats.md", f"`{inbox_prefix('<user>')}` of a program, `{person_inbox('<person>')}` of a person"),
    ("contracts/asyncapi.yaml", f"A body of more than {MAX_MESSAGE_BYTES // KIB} KiB is rejected"),
    ("ARCHITECTURE.md", f"where it stays for {WORDS[ANSWERS_DAYS]} days"),
    ("docs/notifications.md", f"once, and for {WORDS[int(NOTIFIER.link_days)]} days"),
    ("docs/notifications.md", f"At most {NOTICES_WAITING:,} notifications wait for each rule"),
]


@pytest.mark.parametrize(("page", "claim"), CLAIMS)
def test_a_number_on_a_page_is_that_of_the_code(page: str, claim: str) -> None:
    assert claim in " ".join((ROOT / page).read_text(encoding="utf-8").split())


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
