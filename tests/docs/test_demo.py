"""The first command of the README, as a person types it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader
from stemma_cli.demo.chapters import chapters
from stemma_cli.demo.script import SCRIPTS

ROOT = Path(__file__).parents[2]
WITHIN_S = 170


@pytest.mark.req("E1", "P8", "P9", "P10")
@pytest.mark.timeout(300)
def test_make_demo_tells_its_story_and_leaves_all_files(tmp_path: Path) -> None:
    out = tmp_path / "demo output"

    told = made("demo", f"OUTPUT={out}")

    assert "They differ exactly in the sections that were changed." in told
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(files) == {"proposal-first.docx", "proposal.docx", "proposal.pdf", "proposal.html", "structure.json"}
    pairs = list(zip(chapters(files["proposal-first.docx"]), chapters(files["proposal.docx"]), strict=True))
    assert [old == new for old, new in pairs] == [True, True, False, True, True, False, False, True]
    script = SCRIPTS["proposal"]
    assert script.written.words in pairs[5][1]
    assert "The council pays in two instalments." in pairs[6][1]
    pdf = "".join(page.extract_text() for page in PdfReader(io.BytesIO(files["proposal.pdf"])).pages)
    assert "instalments" in pdf


def made(*arguments: str) -> str:
    """What a verb of the Makefile prints, in the installation that runs this."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEMMA_", "MAKE"))}
    command = ["make", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.stemma-setup", *arguments]
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
