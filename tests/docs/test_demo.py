"""The first command of the README, as a person types it."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from openpyxl import load_workbook
from pypdf import PdfReader
from stemma_cli.demo import RATES, WRITTEN

ROOT = Path(__file__).parents[2]
INSTALLED = [part for stamp in ("run", "setup") for part in ("-o", f"{sys.prefix}/.stemma-{stamp}")]
"""What keeps make from installing: it works in the installation that runs this."""
WITHIN_S = 330


INTERNAL = ("251,300", "outage", "nine hours", "Dana")
"""Words of the mail that a colleague wrote."""


@pytest.mark.req("E1", "P9", "B1", "B6", "B8")
@pytest.mark.timeout(360)
def test_make_demo_answers_a_real_request_and_tells_what_is_open(tmp_path: Path) -> None:
    out = tmp_path / "demo output"

    told = made("demo", f"OUTPUT={out}")

    assert "internal (proposed): note-from-sales.eml" in told
    assert "submission   January 4, 2017" in told
    assert "B4 is broken: paper, wanted letter, here A4" in told
    files = {path.name: path for path in out.iterdir()}
    assert set(files) == {
        *(f"proposal{ending}" for ending in (".docx", ".pdf", ".html", "-open-requirements.csv")),
        "structure.json",
        "pricing-filled.xlsx",
    }
    texts = {name: text_of(path) for name, path in files.items()}
    assert not [(name, words) for name, text in texts.items() for words in INTERNAL if words in text]
    assert all(WRITTEN[1] in texts[f"proposal.{ending}"] for ending in ("docx", "pdf"))
    assert "The offeror shall" not in texts["proposal.docx"]
    priced = load_workbook(files["pricing-filled.xlsx"])["Labor Pricing"]
    assert [cell.value for cell in priced["B"][3:9]] == [*roles_of(RATES), None]


def text_of(path: Path) -> str:
    if path.suffix == ".pdf":
        return " ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split())
    if path.suffix in (".docx", ".xlsx"):
        with ZipFile(path) as package:
            return "\n".join(package.read(name).decode("utf-8", "replace") for name in package.namelist())
    return path.read_text("utf-8")


def roles_of(rates: Path) -> list[str]:
    with rates.open(encoding="utf-8", newline="") as file:
        return [row[0] for row in csv.reader(file)][1:]


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
