from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest
from pypdf import PdfReader
from stemma_local.chapters import chapters
from stemma_local.demonstration import demonstrate
from stemma_local.story import STORIES


@pytest.mark.req("E1", "P8", "P9", "P10")
@pytest.mark.timeout(180)
async def test_the_demonstration_tells_its_story_and_leaves_all_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = await demonstrate(tmp_path / "out", "proposal")

    told = capsys.readouterr().out
    assert (code, "They differ exactly in the sections that were changed." in told) == (0, True)
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"proposal-first.docx", "proposal.docx", "proposal.pdf", "proposal.html", "structure.json"}
    pairs = list(zip(chapters(files["proposal-first.docx"]), chapters(files["proposal.docx"]), strict=True))
    assert [old == new for old, new in pairs] == [True, True, False, True, True, False, False, True]
    story = STORIES["proposal"]
    assert story.written.words in pairs[5][1]
    assert "The council pays in two instalments." in pairs[6][1]
    pdf = "".join(page.extract_text() for page in PdfReader(io.BytesIO(files["proposal.pdf"])).pages)
    assert "instalments" in pdf


async def test_a_kind_that_has_no_story_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await demonstrate(tmp_path / "out", "poem") == 2
    assert "only of proposal" in capsys.readouterr().out


def test_chapters_hold_their_paragraphs_and_tables_and_leave_out_what_is_before_them() -> None:
    document = docx.Document()
    document.add_paragraph("Contents")
    for heading in ("One", "Two"):
        document.add_heading(heading, 1)
        document.add_heading("Part", 2)
        document.add_paragraph(f"About {heading}.")
    cells = document.add_table(1, 2).rows[0].cells
    cells[0].text, cells[1].text = "a", "b"
    file = io.BytesIO()
    document.save(file)

    assert chapters(file.getvalue()) == ["One\nPart\nAbout One.\n", "Two\nPart\nAbout Two.\na | b\n"]
