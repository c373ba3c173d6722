import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from stemma_cli.local.foreground import tell_work
from stemma_cli.rendering.progress import Written, heard_of
from stemma_cli.wording import given_words, status_words, took_words, under_way_words, work_words
from stemma_client.client import LiveText
from stemma_contracts.v1 import events
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import ProcessingMetadata, RetrievedSource
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.summary import DocumentSummary
from stemma_testkit.signals import interruptible

APPROVED = events.SectionApproved(section_id="research", version=1, starts=("solution",))


def stemma(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from stemma_cli.main import main; main()", *arguments]


async def started(environment: dict[str, str], *arguments: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    env = os.environ | environment
    command = interruptible(stemma(*arguments))
    return await asyncio.create_subprocess_exec(*command, env=env, stdout=pipe, stderr=pipe)


async def test_watch_prints_a_line_per_event_and_ends_when_a_person_is_needed(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"), reviewable("research"))

    done = await cli("watch", document_id)

    assert done.exit_code == 0
    assert [li.split(" ", 1)[1] for li in done.stdout.splitlines()] == [
        "document: requested (starts research)",
        "research: drafted (version 1, score 0.90)",
        "research: review requested (version 1, no lint issues)",
    ]
    assert re.search(r"waits for a person: research \(Research, .+\); see `stemma inbox`", done.stderr)


@pytest.mark.req("D2", "E4")
async def test_up_tells_a_line_per_event_of_any_document(
    client: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    await backstage.append("before", requested)
    begin = await client.position() + 1
    await backstage.append(document_id, requested, drafted("research"))
    told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    telling = asyncio.create_task(tell_work(client, lambda *line: told.put_nowait(line), begin))
    async with asyncio.timeout(20):
        lines = [await told.get(), await told.get()]
    telling.cancel()
    assert lines == [
        (document_id[:8], "document: requested (starts research)"),
        (document_id[:8], "research: drafted (version 1, score 0.90)"),
    ]


async def test_a_terminal_is_told_the_step_the_time_and_how_to_stop(
    client: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    await backstage.append(document_id, requested)
    view = await client.document(document_id)
    section, since = view.sections["research"], view.sections["research"].activity_since
    seconds = {one.kind: 60.0 for one in view.sections.values()}
    now = since + timedelta(seconds=40)
    assert status_words(section) == "generating (writing)"
    assert work_words(section, seconds, now) == "40 s of about 60 s"
    [answers, left, stop] = under_way_words(view, seconds, now, characters=1400)
    assert answers == "1 answer under way, about 350 tokens so far"
    assert left.startswith("about ")
    assert f"`stemma pause {document_id[:8]}`" in stop


@pytest.mark.req("E4")
async def test_show_tells_how_long_the_rest_takes_by_an_earlier_document_of_the_kind(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    kind, began = f"k{document_id}", requested.created_at
    earlier, requested = f"earlier-{document_id}", requested.model_copy(update={"kind": kind})
    took = ProcessingMetadata(started_at=began, finished_at=began, seconds=40)
    done = drafted("research").model_copy(update={"processing_metadata": took})
    await backstage.append(earlier, requested, done)
    completed = DocumentSummary(
        document_id=earlier, kind=kind, status=DocumentStatus.COMPLETED, created_at=began, last_sequence=1, sections=()
    )
    await backstage.summarise(completed)
    await backstage.append(document_id, requested)
    told = await cli("show", document_id)
    assert "of about 40 s" in told.stdout
    assert "about 40 s left to write" in told.stderr


async def test_who_looks_is_told_how_much_of_the_answers_is_there() -> None:
    async def pieces() -> AsyncIterator[LiveText]:
        for section_id, at in (("research", 350), ("costs", None), ("research", 400)):
            yield LiveText(section_id, "word " * 10, at)
        await asyncio.Event().wait()

    assert await heard_of(pieces()) == 450 + 50


def test_the_speed_of_a_model_is_told_in_tokens() -> None:
    written, told = Written(), []
    for characters, now in ((0, 0.0), (400, 30.0), (3600, 50.0)):
        written.add(characters, now)
        told.append(written.words)
    assert told == ["the model reads", "400 characters", "4000 characters, about 50 tokens/s"]
    assert took_words(20.0, 600) == "in 20 s, 30 tokens/s"
    assert took_words(0.2, 600) == ""


async def test_watch_goes_on_while_a_service_is_at_work_and_ends_with_the_document(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"), reviewable("research"), APPROVED)
    watching = asyncio.create_task(cli("watch", document_id))
    await backstage.append(document_id, drafted("solution"), events.DocumentCompleted())

    done = await watching

    assert done.stdout.splitlines()[-1].endswith("document: completed")
    assert "take it out with `stemma export" in done.stderr


async def test_watch_of_a_failed_document_ends_with_1_and_says_how_to_go_on(
    cli: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    failure = events.SectionModelUnavailable(
        section_id="research", job_id="j", activity=Activity.GENERATE, status=SectionStatus.FAILED, detail="429"
    )
    await backstage.append(document_id, requested, failure, events.DocumentFailed(failed_sections=("research",)))

    done = await cli("watch", document_id)

    assert done.exit_code == 1
    assert f"try again with `stemma retry {document_id[:8]} research`" in done.stderr


@pytest.mark.parametrize(
    ("missing", "detail", "remedy"),
    [
        (
            ("research",),
            "research is required and must be at least 100 characters",
            "first write research with `stemma edit {0} research --editor`, then `stemma retry {0} solution`",
        ),
        (
            ("project_brief",),
            "project_brief is required and must not be blank",
            "other inputs are needed: ask for a new document with `stemma new proposal`",
        ),
    ],
)
async def test_watch_offers_no_retry_of_a_section_that_lacks_its_inputs(
    cli: Any, backstage: Any, document_id: str, requested: Any, missing: tuple[str, ...], detail: str, remedy: str
) -> None:
    failed: dict[str, Any] = {
        "job_id": "j",
        "activity": Activity.GENERATE,
        "status": SectionStatus.FAILED,
        "detail": detail,
    }
    other = events.SectionModelUnavailable(section_id="research", **failed | {"detail": "429"})
    lacking = events.SectionInputsMissing(section_id="solution", missing=missing, **failed)
    ended = events.DocumentFailed(failed_sections=("research", "solution"))
    await backstage.append(document_id, requested, other, lacking, ended)

    done = await cli("watch", document_id)

    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        f"failed: solution (inputs missing: {detail}); {remedy.format(document_id[:8])}",
        f"failed: research; try again with `stemma retry {document_id[:8]} research`",
    ]


async def test_ctrl_c_ends_watch_with_130_and_one_line(
    backstage: Any, environment: dict[str, str], document_id: str, requested: Any
) -> None:
    await backstage.append(document_id, requested)
    process = await started(environment, "watch", document_id)
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.readline(), 60)

    process.send_signal(signal.SIGINT)
    _, stderr = await asyncio.wait_for(process.communicate(), 60)

    assert (process.returncode, stderr) == (130, b"interrupted; what was sent to Stemma goes on there\n")


async def test_a_reader_that_goes_away_ends_a_verb_without_words(
    backstage: Any, environment: dict[str, str], document_id: str, requested: Any
) -> None:
    await backstage.append(document_id, requested, *[events.DocumentPaused()] * 500)
    process = await started(environment, "history", document_id, "--all", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    await asyncio.wait_for(process.stdout.readline(), 60)

    process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]

    assert await asyncio.wait_for(process.stderr.read(), 60) == b""
    assert await process.wait() == 1


async def test_watch_on_a_terminal_shows_a_table_by_section(
    backstage: Any, on_a_terminal: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    await backstage.append(document_id, requested, drafted("research"), reviewable("research"))

    seen, code = await on_a_terminal("watch", document_id)

    assert code == 0
    assert "research: drafted" in seen
    assert "SECTION" in seen
    assert "awaiting review" in seen
    assert f"{document_id}: running" in seen


async def test_a_draft_on_a_terminal_is_rendered_and_cannot_control_it(
    backstage: Any, on_a_terminal: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    draft = await backstage.text(document_id, "# Research\n\nA **bold** [link](http://x)\x1b]0;owned\x07 word.\n")
    await backstage.append(document_id, requested, drafted("research", draft))

    seen, code = await on_a_terminal("show", document_id, "research")

    assert code == 0
    assert "**" not in seen
    assert "word." in seen
    assert "owned" not in seen
    assert "\x1b]" not in seen


@pytest.mark.req("M2")
def test_of_a_draft_it_is_told_which_inputs_were_not_given_as_a_whole() -> None:
    sources = [
        RetrievedSource(kind="input", name="rfp.md", given=70, of=178),
        RetrievedSource(kind="input", name="own.md"),
    ]
    assert given_words(sources) == "70 of 178 passages of rfp.md"
