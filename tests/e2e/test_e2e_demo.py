"""What `make demo` tells and hands in, on the services of this process; `tests/docs` runs the verb itself."""

import asyncio
import csv
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader
from stemma_cli.demo import CALLER, FILLED, RATES, STORIES, WITHIN_S, WRITTEN, Demo
from stemma_cli.local.supervisor import LocalStemma

pytestmark = pytest.mark.asyncio(loop_scope="session")
INTERNAL = ("251,300", "outage", "nine hours", "Dana")
"""Words of the mail that a colleague wrote."""


@pytest.mark.req("E1", "P9", "B1", "B6", "B8")
@pytest.mark.timeout(360)
async def test_the_demo_answers_a_real_request_and_tells_what_is_open(
    stemma: LocalStemma, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with stemma.client() as client, asyncio.timeout(WITHIN_S):
        client.actor = CALLER
        await STORIES["proposal"](Demo(client, "proposal", tmp_path))

    told = capsys.readouterr().out
    assert "internal (proposed): note-from-sales.eml" in told
    assert "submission   January 4, 2017" in told
    assert "B4 is broken: paper, wanted letter, here A4" in told
    files = {path.name: path for path in tmp_path.iterdir()}
    texts = {name: text_of(path) for name, path in files.items()}
    assert not [(name, words) for name, text in texts.items() for words in INTERNAL if words in text]
    assert all(WRITTEN[1] in texts[f"proposal.{ending}"] for ending in ("docx", "pdf"))
    assert "The offeror shall" not in texts["proposal.docx"]
    priced = load_workbook(files[FILLED])["Labor Pricing"]
    with RATES.open(encoding="utf-8", newline="") as rates:
        assert [cell.value for cell in priced["B"][3:9]] == [*(row[0] for row in [*csv.reader(rates)][1:]), None]


def text_of(path: Path) -> str:
    if path.suffix == ".pdf":
        return " ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split())
    if path.suffix in (".docx", ".xlsx"):
        with ZipFile(path) as package:
            return "\n".join(package.read(name).decode("utf-8", "replace") for name in package.namelist())
    return path.read_text("utf-8")
