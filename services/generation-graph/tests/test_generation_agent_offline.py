"""The offline writer as the agent: it carries over every word and mends what a checker finds."""

from pathlib import Path

import pytest
import stemma_client
from generation_agency import Agency
from stemma_offline_writer import OfflineWriter

SAMPLE = Path(stemma_client.__file__).parent / "samples" / "agentic" / "inputs"
FILES = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in sorted(SAMPLE.rglob("*.*"))}


@pytest.mark.req("G5", "G15")
async def test_the_sample_becomes_one_document_with_every_word_of_its_files() -> None:
    agency = Agency(answers=["skip"])
    outcome = await agency.drive(await agency.job(FILES), OfflineWriter())
    text = await agency.workshop.read(outcome.draft)
    print(text)
    assert not outcome.evaluation.judged
    assert not outcome.partial
    assert [(w.code, w.count) for w in outcome.warnings] == [("skipped_image", 1)]
    assert text.count("\n# ") == 0
    assert "![Plan of the orchard with its four rows](media/plan.png)" in text
    assert "> Image not supplied: media/pruning-cut.png" in text
    for name, data in FILES.items():
        if name.endswith(".md"):
            words = [word for word in data.decode().split() if word.isalpha() and word not in ("img", "cut")]
            assert [word for word in words if word not in text] == []
    assert agency.state["current_chapter"] == len(agency.state["document_outline"]) == 6
