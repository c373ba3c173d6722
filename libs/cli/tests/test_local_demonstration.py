from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest
from stemma_cli.demo import chapters, demonstrate


async def test_a_kind_that_has_no_story_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await demonstrate(tmp_path / "out", "poem") == 2
    assert "only of proposal" in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.req("D1", "D6", "R2")
@pytest.mark.parametrize("kind", ["roles", "design_document", "agentic"])
async def test_every_kind_has_a_story_that_holds(kind: str, tmp_path: Path) -> None:
    assert await demonstrate(tmp_path, kind) == 0
    assert {file.name for file in tmp_path.iterdir()} == {
        "structure.json",
        *(f"{kind}.{form}" for form in ("docx", "pdf", "html")),
    }


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
