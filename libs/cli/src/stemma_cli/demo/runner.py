"""What every demonstration works with: one document, what is told of it, and waiting for what comes."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from stemma_client import Client
from stemma_client.reading import Reading
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.references import ArtifactRef

from stemma_cli.samples import SAMPLES
from stemma_cli.wording import event_words


@dataclass(frozen=True)
class Change:
    section_id: str
    words: str


@dataclass(frozen=True)
class DemoScript:
    """The decisions of a person about a document, apart from its approvals.

    ``revised`` is sent back in its review; after the first export ``amended`` is written anew, as it quotes what the
    amended brief changes, ``instructed`` is changed by the editor agent, ``written`` gets a paragraph of the person's
    own and is kept, and ``regenerated`` is written anew with guidance. Every other section that becomes stale is kept.
    """

    revised: Change
    amended: str
    instructed: Change
    written: Change
    regenerated: Change

    @property
    def changed(self) -> frozenset[str]:
        changes = (self.instructed, self.written, self.regenerated)
        return frozenset({self.amended, *(change.section_id for change in changes)})


SCRIPTS: Mapping[str, DemoScript] = {
    "proposal": DemoScript(
        revised=Change("solution", "Say that both bicycles are serviced every month."),
        amended="budget",
        instructed=Change("connections", "Say that the schools of Oak Hill may join in the second year."),
        written=Change("timeline", "The couriers are hired in April 2027, after the council has decided."),
        regenerated=Change("budget", "Say that the council pays in two instalments."),
    )
}


FORMATS = (ExportFormat.DOCX, ExportFormat.PDF, ExportFormat.HTML, ExportFormat.JSON)
FILE_NAMES = {ExportFormat.JSON: "structure.json"}
FAILED = (DocumentStatus.FAILED, DocumentStatus.CANCELLED)


class DemoFailedError(Exception):
    """Something did not come as the script has it; the message says what."""


class DemoRunner(ABC):
    def __init__(self, client: Client, kind: str, output: Path) -> None:
        self._client = client
        self._kind = kind
        self._output = output
        self._sample = SAMPLES / kind
        self._reading = Reading("")
        self._view = self._reading.view
        self._began = time.monotonic()

    @abstractmethod
    async def run(self) -> None: ...

    async def _request(self) -> None:
        folder = self._sample
        words, pages = (folder / "brief.md").read_text("utf-8"), folder / "brief.pdf"
        brief = pages if pages.exists() else words
        inputs = [path for path in (folder / "inputs").rglob("*") if path.is_file()]
        title = words.splitlines()[0].removeprefix("# ").strip()
        accepted = await self._client.create_document(self._kind, brief=brief, title=title, inputs=[folder / "inputs"])
        self._reading = Reading(accepted.document_id)
        self._view = self._reading.view
        of_pages = " in PDF" if brief is pages else ""
        asked = f"Asked for a document of the kind {self._kind} from one brief{of_pages} and {len(inputs)} input files"
        say(f"\n{asked}: {accepted.document_id}")

    async def _until(self, done: Callable[[], bool], *, approve: bool = False) -> None:
        """Follow the document until something is so; with ``approve`` every section is, but for the one to revise."""
        if done():
            return
        async with aclosing(self._client.follow(self._id, from_sequence=self._view.last_sequence + 1)) as events:
            async for event in events:
                self._reading = self._reading.after(event)
                self._view = self._reading.view
                say(f"  {time.monotonic() - self._began:5.1f} s  {_short(event_words(event))}")
                hold(self._view.status not in FAILED, f"the document is {self._view.status}")
                if done():
                    return
                if approve and isinstance(event.contract, e.SectionReviewRequested):
                    await self._client.approve(self._id, event.contract.section_id, event.contract.version)

    async def _export(self, form: ExportFormat, name: str) -> bytes:
        exported = await self._client.export(self._id, form)
        await self._until(lambda: exported.export_id in self._view.exports)
        data = await self._client.artifact(self._id, exported.artifact)
        await asyncio.to_thread((self._output / name).write_bytes, data)
        warnings = f", {sum(w.count for w in exported.warnings)} warnings" if exported.warnings else ""
        say(f"  {self._output / name}  {len(data):,} bytes{warnings}")
        hold(not exported.warnings, f"{name} came with warnings")
        return data

    async def _export_all(self) -> dict[ExportFormat, bytes]:
        return {form: await self._export(form, FILE_NAMES.get(form, f"{self._kind}.{form}")) for form in FORMATS}

    @property
    def _id(self) -> str:
        return self._view.document_id

    def _title(self, name: str) -> str:
        return self._view.sections[name].title

    def _version(self, name: str) -> int:
        return self._view.sections[name].version if name in self._view.sections else 0

    def _draft(self, name: str) -> ArtifactRef:
        draft = self._view.sections[name].draft
        assert draft is not None
        return draft

    def _drafts(self) -> dict[str, str]:
        return {name: self._draft(name).digest for name in self._view.sections}

    async def _text(self, ref: ArtifactRef) -> str:
        return (await self._client.artifact(self._id, ref)).decode()

    def _step(self, words: str) -> None:
        say(f"\n{words}")


def hold(condition: bool, otherwise: str) -> None:
    """Raise `DemoFailedError` if the script does not go on as it should."""
    if not condition:
        raise DemoFailedError(otherwise)


def _short(words: str) -> str:
    return words if len(words) <= 110 else f"{words[:107]}..."


def say(words: str) -> None:
    print(words, flush=True)
