import json
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.needs import MissingReference, Need, NeedAnswer
from stemma_contracts.v1.references import UploadRef


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


@pytest.mark.req("G10")
async def test_an_answer_that_says_nothing_or_is_about_no_image_that_is_asked_for_is_refused(
    cli: Any, backstage: Any, asking: str
) -> None:
    for words, section, *others in (
        ("research does not ask for 'media/x.png'", "research", "--skip", "media/x.png"),
        ("does not look like IMAGE=FILE", "research", "--supply", "media/a.png"),
        ("give --message, --skip, --supply or --use", "research"),
        ("solution asks for nothing", "solution", "-m", "Yes."),
    ):
        done = await cli("answer", asking, section, *others)
        assert done.exit_code == (1 if section == "solution" else 2)
        assert words in " ".join(done.stderr.replace("│", " ").split())
    assert backstage.received == []


async def test_history_tells_what_was_decided_and_nothing_of_the_files_of_services(
    cli: Any, backstage: Any, asking: str
) -> None:
    given = NeedAnswer(text="The first is lost.", decisions={"media/a.png": "skip"}).model_dump_json()
    said = (await backstage.text(asking, given)).model_copy(update={"media_type": "application/json"})
    about: dict[str, Any] = {"section_id": "research", "need_id": "n7"}
    by_a_person = events.SectionNeedAnswered(**about, answer=said, actor="ana", actor_verified=True)
    failed = events.SectionNeedAnswered(
        **about, answer=said, answered_by="converter", failed=True, detail="timed_out", job_id="j"
    )
    await backstage.append(asking, by_a_person, failed)
    told = (await cli("history", asking)).stdout.splitlines()[-1]
    assert told.split("\t")[1:3] == ["ana", "research"]
    assert told.endswith("need answered\tThe first is lost.; media/a.png: skip")
    everything = (await cli("history", asking, "--all", "--json")).stdout.splitlines()
    assert json.loads(everything[-1])["said"] == ""
    line = (await cli("history", asking, "--all")).stdout.splitlines()[-1]
    assert "by the converter, it could not be met, timed_out" in line
