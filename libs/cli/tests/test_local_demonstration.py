from pathlib import Path

import pytest
from stemma_cli.demo import demonstrate


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
