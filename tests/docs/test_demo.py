"""The first command of the README, as a person types it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from pypdf import PdfReader
from stemma_cli.demo import AMENDMENT, WRITTEN, chapters
from stemma_cli.samples import SAMPLES
from stemma_evidence import ceilings_of, sums_of

ROOT = Path(__file__).parents[2]
INSTALLED = [part for stamp in ("run", "setup") for part in ("-o", f"{sys.prefix}/.stemma-{stamp}")]
"""What keeps make from installing: it works in the installation that runs this."""
WITHIN_S = 330


@pytest.mark.req("E1", "P8", "P9", "P10")
@pytest.mark.timeout(360)
def test_make_demo_tells_its_story_and_leaves_all_files(tmp_path: Path) -> None:
    out = tmp_path / "demo output"

    told = made("demo", f"OUTPUT={out}")

    assert "because cost-quotes.md 1 -> 2" in told
    assert "They differ exactly in the sections that were changed." in told
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(files) == {"proposal-first.docx", "proposal.docx", "proposal.pdf", "proposal.html", "structure.json"}
    pairs = list(zip(chapters(files["proposal-first.docx"]), chapters(files["proposal.docx"]), strict=True))
    assert [old == new for old, new in pairs] == [True, True, False, True, True, False, False, True]
    assert WRITTEN[1] in pairs[5][1]
    assert "The council pays in two instalments." in pairs[6][1]
    assert ["€2,900" in pairs[6][0], "€2,500" in pairs[6][1]] == [True, True]
    pdf = "".join(page.extract_text() for page in PdfReader(io.BytesIO(files["proposal.pdf"])).pages)
    assert "instalments" in pdf


@pytest.mark.full
@pytest.mark.req("H1", "H5")
@pytest.mark.timeout(300)
def test_make_demo_with_the_desk_leaves_everything_running_and_opens_it() -> None:
    command, environment = called("demo", "DESK=1")
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        opens = next(line for line in running.stdout if line.startswith("This opens it signed in"))
        with httpx.Client(follow_redirects=True, headers={"Accept": "text/html"}) as browser:
            page = browser.get(opens.rpartition(" ")[2].strip())
        os.killpg(running.pid, signal.SIGINT)
        running.stdout.read()
    assert page.status_code == 200
    assert all(why in page.text for why in ("Proposed edit 1", "Review 1", "Stale"))


@pytest.mark.req("B8", "I4")
def test_the_prices_of_the_sample_stay_under_the_ceiling_also_of_its_amendment() -> None:
    sample = SAMPLES / "proposal"
    [most] = ceilings_of((sample / "brief.md").read_text(encoding="utf-8"), "en")
    quotes = [sample / "inputs" / "cost-quotes.md", sample / AMENDMENT]
    totals = [sums_of(file.read_text(encoding="utf-8"), "en").tables[0].amount for file in quotes]
    assert (list(map(int, totals)), int(most.amount)) == ([103_950, 103_530], 110_000)


@pytest.mark.req("I4")
def test_the_pdf_file_of_the_sample_says_what_its_brief_says() -> None:
    sample = SAMPLES / "proposal"
    assert words_of(sample / "brief.pdf") == words_of(sample / "brief.md")


def words_of(file: Path) -> list[str]:
    text = (
        file.read_text("utf-8") if file.suffix == ".md" else "\n".join(p.extract_text() for p in PdfReader(file).pages)
    )
    return [word for word in text.split() if word.strip("#-•")]


def called(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """A verb of the Makefile."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEMMA_", "MAKE"))}
    return ["make", f"VENV={sys.prefix}", *INSTALLED, *arguments], environment


def made(*arguments: str) -> str:
    """What a verb prints."""
    command, environment = called(*arguments)
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
