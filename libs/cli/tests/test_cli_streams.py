"""What a verb does with the terminal, with stdin and with stdout."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.exports import format_of
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.provenance import Origin
from stemma_testkit.signals import interruptible

STEMMA = [sys.executable, "-c", "from stemma_cli.main import main; main()"]


@pytest.fixture
def exporting(backstage: Any, document_id: str) -> str:
    """A document of which every export has bytes that are no text."""

    async def convert(request: requests.ExportDocument) -> None:
        ref = await backstage.artifacts.put("default", document_id, b"PK\xff\x00", media_type="x/y", name="out")
        common: dict[str, Any] = {"export_id": "x1", "format": request.format}
        done = events.DocumentExported(**common, job_id="j", artifact=ref)
        await backstage.append(document_id, events.ExportRequested(**common), done)

    backstage.on_request = convert
    return document_id


@pytest.mark.parametrize(
    ("output", "format", "chosen"),
    [
        ("x.PDF", None, ExportFormat.PDF),
        ("x", None, ExportFormat.DOCX),
        ("x.txt", "md", ExportFormat.MD),
        ("v1.2", "pdf", ExportFormat.PDF),
        ("x.odt", None, "use .docx, .pdf, .html, .json, .md, or say --format"),
        ("x.docx", "pdf", "say one of the two"),
    ],
)
def test_a_file_has_the_format_that_its_ending_says_or_that_is_asked_for(
    output: str, format: str | None, chosen: str
) -> None:
    if isinstance(chosen, ExportFormat):
        assert format_of(format, Path(output)) is chosen
        return
    with pytest.raises(CliError) as refused:
        format_of(format, Path(output))
    assert (refused.value.code, refused.value.hint) == (ExitCode.USAGE, chosen)


async def test_an_export_to_stdout_is_the_document_and_nothing_else(cli: Any, exporting: str) -> None:
    done = await cli("export", exporting, "-f", "pdf", "-o", "-")

    assert (done.exit_code, done.stdout_bytes) == (0, b"PK\xff\x00")
    assert "exported as x1" in done.stderr


async def test_an_export_to_stdout_shares_it_with_neither_json_nor_a_terminal(
    cli: Any, on_a_terminal: Any, backstage: Any, exporting: str
) -> None:
    with_json = await cli("export", exporting, "-o", "-", "--json")
    seen, code = await on_a_terminal("export", exporting, "-o", "-")

    assert (with_json.exit_code, with_json.stdout, code) == (2, "", 2)
    assert "stdout takes the document or --json" in with_json.stderr
    assert "a terminal shows no document" in seen
    assert backstage.received == []


async def test_cancel_asks_for_consent_where_no_terminal_can(cli: Any, backstage: Any, document_id: str) -> None:
    done = await cli("cancel", document_id, stdin="")

    assert done.exit_code == 2
    assert "say --yes to cancel for good" in " ".join(done.stderr.replace("│", " ").split())
    assert backstage.received == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_standard_stream_is_an_empty_one(closed: str) -> None:
    """A program without a terminal may close them: the words go to the streams that are left."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *STEMMA, "cancel", "d1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert ("say --yes" in done.stderr) == (closed != "2>&-")


async def test_nothing_is_cancelled_without_consent_at_the_terminal(
    on_a_terminal: Any, backstage: Any, document_id: str
) -> None:
    seen, ended = await on_a_terminal("cancel", document_id, typed="n\n")

    assert f"Cancel document {document_id} for good?" in seen
    assert (ended, backstage.received) == (1, [])


@pytest.fixture
async def written(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    """A document with a text that a person made."""
    text = await backstage.text(document_id, "Mine.")
    edited = events.SectionEdited(section_id="research", version=2, draft=text, origin=Origin.WRITTEN, actor="ben")
    await backstage.append(document_id, requested, drafted("research"), edited)
    return document_id


async def test_an_interrupt_at_a_question_ends_with_130_at_once(
    environment: dict[str, str], backstage: Any, written: str
) -> None:
    command = [*STEMMA, "cancel", written]

    code, told = await asyncio.to_thread(_interrupted_at_the_question, os.environ | environment, command)

    assert code == 130
    assert told.endswith("interrupted; nothing was cancelled\n")
    assert backstage.received == []


def _interrupted_at_the_question(environment: Mapping[str, str], command: Sequence[str]) -> tuple[int, str]:
    terminal, stdin = pty.openpty()
    with subprocess.Popen(interruptible(command), env=environment, stdin=stdin, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        asked = b""
        while not asked.endswith(b"[y/N]: "):
            letter = process.stderr.read(1)
            assert letter, asked
            asked += letter
        process.send_signal(signal.SIGINT)
        told = asked + process.stderr.read()
    os.close(terminal)
    os.close(stdin)
    return process.returncode, told.decode()


async def test_words_are_typed_at_the_terminal_to_their_end(on_a_terminal: Any, backstage: Any, written: str) -> None:
    _, code = await on_a_terminal("edit", written, "research", "-m", "-", typed="Say more\nof it.\n\x04")

    assert (code, backstage.received[-1][1].instruction) == (0, "Say more\nof it.\n")
