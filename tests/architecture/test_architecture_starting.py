"""What is configured wrongly is refused at once, also while no server answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stemma_contracts import subjects
from stemma_testkit.house import in_config
from stemma_testkit.serving import free_port

ROOT = Path(__file__).parents[2]
MISSING = {
    subjects.ORCHESTRATOR: "dependencies.json",
    subjects.GENERATION: "evaluation/default.json",
    subjects.EDITOR: "editors.json",
    subjects.VALIDATOR: "rumdl.toml",
    subjects.CONVERTER: "template.docx",
}


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    "service", [subjects.ORCHESTRATOR, *(pytest.param(name, marks=pytest.mark.full) for name in [*MISSING][1:])]
)
def test_a_missing_file_refuses_the_start_by_name_before_the_server_is_waited_for(tmp_path: Path, service: str) -> None:
    config = tmp_path / "config"
    shutil.copytree(ROOT / "services" / service / "config", config)
    if service == subjects.ORCHESTRATOR:
        in_config(config)
    (config / MISSING[service]).unlink()
    environment = {
        f"STEMMA_{service.upper().replace('-', '_')}_CONFIG_DIR": str(config),
        "STEMMA_NATS_URL": f"nats://127.0.0.1:{free_port()}",
        "STEMMA_DATA_DIR": str(tmp_path),
        "LANGGRAPH_STRICT_MSGPACK": "true",
    }
    command = [Path(sys.executable).with_name(f"stemma-{service}")]
    ended = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=90
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"stemma-{service}: ")
    assert MISSING[service].partition(".")[0] in ended.stderr
