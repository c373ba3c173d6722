"""Starting up, coming back after a kill, exporting."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from statistics import median

from bench_installation import Installation, ended, installation
from bench_report import row, slowness, target, title
from bench_workload import caller
from stemma_client import Client
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import EditSection
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning.topology import ACK_WAIT_S
from stemma_testkit.driving import request_sample, wait_for

ROOT = Path(__file__).parents[2]
BUILD = ("hatchling", "editables")
PAGE_CHARACTERS = 2600
PAGES = (5, 50, 300)
SECTIONS = ("research", "solution", "connections", "problem_statement", "approach", "timeline", "budget", "conclusion")
KILLED = "solution"
RECOVERED_S = 10.0
VERBS_S = {"--help": 0.15, "inbox": 0.35}
"""Seconds of a verb that are not those of a Python that does nothing."""
TIMES = 20
EXPORTED_S = {ExportFormat.DOCX: 3.0, ExportFormat.PDF: 5.0}


async def ready() -> None:
    """``stemma up`` in an empty folder until it says that it is ready."""
    title("start")
    seconds = [await _up() for _ in range(3)]
    row("stemma up to ready, an empty folder", f"{median(seconds):.1f} s", "under 8 s")


async def _up() -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        command = [str(Path(sys.executable).with_name("stemma")), "up", "--data", folder]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, start_new_session=True)
        async with ended(process):
            assert process.stdout is not None
            while not re.match(rb"stemma\s+ready", await process.stdout.readline()):
                assert process.returncode is None, "stemma up ended"
            seconds = time.perf_counter() - started
    return seconds


async def verbs() -> None:
    """What a person waits for a verb of the command, at least, beside a Python that does nothing."""
    title(f"verbs of the command, the least of {TIMES}")
    with tempfile.TemporaryDirectory() as folder:
        alone = str(_installed_alone("stemma-cli", Path(folder)) / "stemma")
        with_services = str(Path(sys.executable).with_name("stemma"))
        async with installation() as running:
            env = {**os.environ, "STEMMA_DATA_DIR": str(running.stemma.folder.root)}
            env.pop("PYTHONDONTWRITEBYTECODE", None)  # The second call of a person reads what the first one compiled.
            nothing = await _least_s([sys.executable, "-c", "pass"], env)
            row("python -c pass", f"{nothing:.3f} s")
            for verb, most_s in VERBS_S.items():
                target(f"stemma {verb}", await _least_s([alone, verb], env) - nothing, most_s, " s")
                row("  where services are installed beside it", f"{await _least_s([with_services, verb], env):.3f} s")


def _installed_alone(package: str, folder: Path) -> Path:
    """The programs of a package in an environment of its own: nats-py, for one, imports aiohttp where it finds it."""
    uv = str(Path(sys.executable).with_name("uv"))
    install = [uv, "pip", "install", "--quiet", "--python", str(folder), "--no-deps"]
    subprocess.run([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, folder], check=True)
    subprocess.run([*install, "--require-hashes", "-r", "-"], input=_closure(package, *BUILD), check=True)
    own = (f"-e{ROOT / path}" for path in _closure("--folders", package).decode().split())
    subprocess.run([*install, "--no-build-isolation", *own], check=True)
    return folder / "bin"


def _closure(*arguments: str) -> bytes:
    return subprocess.run(
        [sys.executable, ROOT / "deploy/closure.py", *arguments], stdout=subprocess.PIPE, check=True
    ).stdout


async def _least_s(command: list[str], env: dict[str, str]) -> float:
    found, nowhere = [], asyncio.subprocess.DEVNULL
    for _ in range(TIMES):
        started = time.perf_counter()
        process = await asyncio.create_subprocess_exec(*command, env=env, stdout=nowhere, stderr=nowhere)
        assert await process.wait() == 0, command
        found.append(time.perf_counter() - started)
    return min(found)


async def recovery() -> None:
    """Kill -9 of a worker in the middle of a section, and how long until that section has gone on."""
    title(f"kill -9 in the middle of a run, lease of {ACK_WAIT_S:g} s")
    async with installation(milliseconds=200) as running, running.stemma.client() as client:
        for name in (subjects.GENERATION, subjects.VALIDATOR, subjects.ORCHESTRATOR):
            section, end = await _killed(running, client, name)
            target(f"{name}: until the section goes on", section, RECOVERED_S, " s")
            row("  until the document ends", f"{end:.1f} s")
        section = await _editor_killed(running, client)
        target(f"{subjects.EDITOR}: until the section goes on", section, RECOVERED_S, " s")


async def _editor_killed(running: Installation, client: Client) -> float:
    """The same for a revision, which takes no time: the editor is killed as soon as it has the job."""
    document_id = await request_sample(client, ReviewMode.HUMAN)
    drafted = await wait_for(client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
    review = drafted[-1].contract
    assert isinstance(review, e.SectionReviewRequested)
    editor, jobs = running.processes[subjects.EDITOR], running.admin.jetstream()
    await client.revise(document_id, review.section_id, review.version, "Name the first deadline.")
    async with asyncio.timeout(60):
        while not (await jobs.consumer_info(subjects.JOBS, subjects.EDITOR)).num_ack_pending:
            await asyncio.sleep(0)
    editor.kill()
    started = time.perf_counter()
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionRevised | e.SectionRevisionRefused))
    return time.perf_counter() - started


async def _killed(running: Installation, client: Client, name: str) -> tuple[float, float]:
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionApproved))
    if name == subjects.VALIDATOR:
        await wait_for(client, document_id, lambda event: _is(event, e.SectionDrafted, KILLED))
    else:
        await asyncio.sleep(0.1)
    os.kill(running.processes[name].pid, signal.SIGKILL)
    started = time.perf_counter()
    after = e.SectionApproved if name == subjects.VALIDATOR else e.SectionDrafted
    await wait_for(client, document_id, lambda event: _is(event, after, KILLED))
    section = time.perf_counter() - started
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentCompleted))
    return section, time.perf_counter() - started


def _is(event: Contract, kind: type[e.SectionDrafted | e.SectionApproved], section_id: str) -> bool:
    return isinstance(event, kind) and event.section_id == section_id


async def exports() -> None:
    """Documents of 5, 50 and 300 pages in every format."""
    title("export")
    async with installation() as running, caller(running) as calling, running.stemma.client() as client:
        document_id, _ = await calling.run()
        for pages in PAGES:
            await _fill(client, document_id, pages)
            for form in ExportFormat:
                started = time.perf_counter()
                exported = await client.export(document_id, form)
                size = exported.artifact.size / 1024
                seconds = time.perf_counter() - started
                row(f"{pages} pages as {form}", f"{seconds:.2f} s", f"{size:.0f} KiB")
                if pages == max(PAGES) and form in EXPORTED_S:
                    slower, noise = slowness()
                    name = f"{pages} pages as {form}, by the CPU of 24 Nov, {1 / slower:.2f} of the time"
                    target(name, seconds / slower, EXPORTED_S[form], " s", noise=noise)


async def _fill(client: Client, document_id: str, pages: int) -> None:
    view = await client.document(document_id)
    for number, section_id in enumerate(SECTIONS):
        text = _text(section_id, max(1, round((number + 1) * pages / 8) - round(number * pages / 8)))
        upload = await client.upload(text.encode(), name="text.md")
        version = view.sections[section_id].version or 0
        edit = EditSection(document_id=document_id, section_id=section_id, version=version, text_upload=upload)
        accepted = await client.request(edit.model_copy(update={"actor": "bench"}))
        assert accepted.section_id == section_id
    await _all_checked(client, document_id)


async def _all_checked(client: Client, document_id: str) -> None:
    """Every text that was put in is linted and evaluated, which would be in the way of what is measured."""
    edits = checked = 0
    async with aclosing(client.follow(document_id)) as events:
        async for event in events:
            edits += isinstance(event.contract, e.SectionEdited)
            checked += isinstance(event.contract, e.SectionChecked)
            if not event.pending and checked >= 2 * edits:
                return


def _text(title: str, pages: int) -> str:
    sentence = f"The part {title} says what is to be done, by whom, until when and at what cost, in plain words. "
    paragraph = sentence * 5
    table = "| item | amount |\n| --- | --- |\n| one | 1 |\n| two | 2 |\n"
    page = f"{paragraph}\n\n- first\n- second\n- third\n\n{paragraph}\n\n{table}\n{paragraph}\n"
    page += f"\n{paragraph}\n" * max(0, (PAGE_CHARACTERS - len(page)) // len(paragraph))
    return f"# {title}\n" + "".join(f"\n## {title}, page {number}\n\n{page}" for number in range(pages))
