"""``stemma demo``: the shipped sample from its brief to its files, with every service running."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

import stemma_client
from stemma_client import Client
from stemma_client.cli.wording import event_words
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import ExportFormat, SectionStatus

from .supervisor import LocalStemma

FORMATS = (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML, ExportFormat.JSON)
FILE_NAMES = {ExportFormat.JSON: "structure.json"}
REVIEWER = "demo"
ENDS = (e.DocumentCompleted, e.DocumentFailed, e.DocumentCancelled)


async def demonstrate(output: Path, kind: str) -> int:
    """Write the sample of a kind, approve its sections, export it to ``output``; returns the exit code."""
    await asyncio.to_thread(output.mkdir, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stemma-demo-") as data:
        _say("Starting NATS and the services ...")
        async with LocalStemma(Path(data), report=_report) as stemma, stemma.client() as client:
            client.actor = REVIEWER
            document_id = await _request(client, kind)
            completed = await _review(client, document_id)
            await _export(client, document_id, output, kind)
            await _account(client, document_id)
    _say("Done." if completed else "The document was not completed: see the events above.")
    return 0 if completed else 1


async def _request(client: Client, kind: str) -> str:
    folder = Path(stemma_client.__file__).parent / "samples" / kind
    brief = (folder / "brief.md").read_text("utf-8")
    inputs = [path for path in (folder / "inputs").rglob("*") if path.is_file()]
    accepted = await client.create_document(kind, brief=brief, title=_title(brief), inputs=[folder / "inputs"])
    _say(f"Requested a {kind} from one brief and {len(inputs)} input files: document {accepted.document_id}")
    return accepted.document_id


def _title(brief: str) -> str:
    first = brief.splitlines()[0]
    return first.removeprefix("# ").strip() if first.startswith("# ") else ""


async def _review(client: Client, document_id: str) -> bool:
    """Approve each section as it comes; whether the document was completed."""
    began = time.monotonic()
    async with aclosing(client.follow(document_id)) as events:
        async for event in events:
            _say(f"  {time.monotonic() - began:6.1f} s  {event_words(event)}")
            if isinstance(event.contract, e.SectionReviewRequested):
                await client.approve(document_id, event.contract.section_id, event.contract.version)
            if isinstance(event.contract, ENDS):
                return isinstance(event.contract, e.DocumentCompleted)
    return False


async def _export(client: Client, document_id: str, output: Path, kind: str) -> None:
    _say(f"Exported to {output}/:")
    for form in FORMATS:
        exported = await client.export(document_id, form)
        path = output / FILE_NAMES.get(form, f"{kind}.{form}")
        path.write_bytes(await client.artifact(document_id, exported.artifact))
        warnings = f", {sum(w.count for w in exported.warnings)} warnings" if exported.warnings else ""
        _say(f"  {path}  {exported.artifact.size:,} bytes{warnings}")


async def _account(client: Client, document_id: str) -> None:
    view = await client.document(document_id)
    approved = sum(section.status is SectionStatus.APPROVED for section in view.sections.values())
    _say(f"{approved} of {len(view.sections)} sections approved, {view.usage.calls} model calls.")


def _report(name: str, message: str) -> None:
    _say(f"  {name:18} {message}")


def _say(words: str) -> None:
    print(words, flush=True)
