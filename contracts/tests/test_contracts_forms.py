"""What a form adds to messages and to the read model is decoded by the contracts of release 0.1.0, which knows none."""

import json
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.forms import AnsweredForm
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary

ROOT = Path(__file__).parents[2]
FILE = ArtifactRef(digest="a" * 64, size=1, media_type="application/json", name="fields.json")
FORM = AnsweredForm(input_id="input-1", version=2, fields=FILE, dropped=("f-0123456789",)).model_dump(mode="json")
JOBS = ("stemma.generate.section.v1", "stemma.validate.draft.v1", "stemma.revise.draft.v1")
READ = """
import json, sys
from stemma_contracts import registry
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary
sent = json.load(sys.stdin)
jobs = [registry.decode(ce_type, json.dumps(body).encode()) for ce_type, body in sent["jobs"].items()]
summary = DocumentSummary.model_validate(sent["summary"])
print(json.dumps({"sections": [job.section.section_id for job in jobs], "read": summary.sections[0].section_id}))
"""


def sample(ce_type: str) -> dict[str, Any]:
    """A job as release 0.1.0 sent it, with the form that its section answers."""
    body: dict[str, Any] = json.loads((ROOT / "contracts/golden/0.1.0" / f"{ce_type}.json").read_text())["full"]["data"]
    return {**body, "section": {**body["section"], "form": FORM}}


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    """Those of release 0.1.0, from its commit."""
    commit = tomllib.loads((ROOT / "deploy" / "releases.toml").read_text())["0.1.0"]["commit"]
    packed = subprocess.run(
        ["git", "archive", commit, "contracts/src"],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    subprocess.run(["tar", "-x", "-C", str(tmp_path)], input=packed.stdout, check=True)
    return tmp_path / "contracts" / "src"


@pytest.mark.full
@pytest.mark.req("L7", "E2", "O6")
def test_jobs_and_a_read_model_with_forms_are_read_by_the_first_release(contracts: Path) -> None:
    summary = DocumentSummary(
        document_id="d1",
        kind="proposal",
        status=DocumentStatus.RUNNING,
        created_at=datetime(2026, 3, 14, tzinfo=UTC),
        last_sequence=7,
        sections=(
            SectionSummary(section_id="form-input-1", title="Form", status=SectionStatus.QUEUED, form_withdrawn=True),
        ),
    )
    jobs = {name: sample(name) for name in JOBS}
    told = subprocess.run(
        [sys.executable, "-c", READ],
        input=json.dumps({"jobs": jobs, "summary": summary.model_dump(mode="json")}),
        capture_output=True, text=True, env={"PYTHONPATH": str(contracts)}, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    sections = [body["section"]["section_id"] for body in jobs.values()]
    assert json.loads(told.stdout) == {"sections": sections, "read": "form-input-1"}
