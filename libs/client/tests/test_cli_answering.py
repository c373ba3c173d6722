from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.needs import MissingReference, Need
from stemma_contracts.v1.values import UploadRef


@pytest.fixture
async def asking(backstage: Any, document_id: str, requested: Any) -> str:
    names = ("media/a.png", "media/b.png", "media/c.png")
    missing = tuple(MissingReference(reference=name, file="site.md") for name in names)
    need = Need(need_id="n7", kind="question", checkpoint_id="c", references=missing)
    raised = events.SectionNeedRaised(section_id="research", job_id="j", thread_id="t", need=need)
    await backstage.append(document_id, requested, raised)
    return document_id


@pytest.mark.req("G10")
async def test_answer_decides_image_by_image(cli: Any, backstage: Any, asking: str, tmp_path: Path) -> None:
    image = tmp_path / "new.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n")
    skipped, used = ("--skip", "media/a.png"), ("--use", "media/b.png=old/b.png")
    done = await cli("answer", asking, "research", *skipped, *used, "--supply", f"media/c.png={image}")
    assert (done.exit_code, done.stdout) == (0, "answered n7 of research\n")
    request = backstage.received[-1][1]
    supplied = request.decisions["media/c.png"]
    assert isinstance(supplied, UploadRef)
    assert (supplied.name, supplied.media_type) == ("new.png", "image/png")
    others = {"media/a.png": "skip", "media/b.png": "old/b.png"}
    assert {name: request.decisions[name] for name in others} == others
    assert request.answer == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--skip", "media/x.png"), "research does not ask for 'media/x.png'"),
        (("--supply", "media/a.png"), "does not look like IMAGE=FILE"),
        ((), "give --message, --skip, --supply or --use"),
    ],
)
async def test_an_answer_that_decides_nothing_is_not_sent(
    cli: Any, backstage: Any, asking: str, options: tuple[str, ...], words: str
) -> None:
    done = await cli("answer", asking, "research", *options)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert backstage.received == []
