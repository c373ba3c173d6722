"""Reads the files of documents and draws the pages of PDFs, each in a limited process; stores the results.

Pages are drawn after the text is read: a file is read whether its pages can be drawn or not.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemma_artifacts.store import ArtifactStore
from stemma_confinement import ConfinementError, Limits, OutOfMemory, OutOfTime, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.forms import FoundFields
from stemma_contracts.v1.inputs import BRIEF, DrawnPage, DrawnPages, InputDifference, InputReading, Unreadable
from stemma_contracts.v1.jobs import ReadInput
from stemma_contracts.v1.outcomes import InputRead, InputUnreadable
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_messaging import Turns
from stemma_telemetry import get_logger

from .drawing_call import FILE, Page, draw, picture_of, told_of, words_of
from .reading import Limits as FileLimits
from .reading_call import ANCHORS, BEFORE, CHANGES, FIELDS, TEXT, Done, Order, Part, prepare, read

log = get_logger()
# One for all files of this process; it starts with the first of them.
_prepared = Prepared(prepare)
PNG, JSON = "image/png", "application/json"


@dataclass(frozen=True)
class Readings:
    """Reads files; ``limits`` are those of the process of one reading, ``file_limits`` how much of a file is read.

    ``drawings`` draws the pages of those whose job asks for that.
    """

    artifacts: ArtifactStore
    limits: Limits
    turns: Turns
    file_limits: FileLimits = field(default_factory=FileLimits)
    drawings: Drawings | None = None

    async def read(self, job: ReadInput) -> InputRead | InputUnreadable:
        if job.file.size > self.file_limits.file_bytes:
            most = self.file_limits.file_bytes // 1024**2
            return self._unreadable(job, Unreadable(reason="too_large", detail=f"at most {most} MB are read"))
        with TemporaryDirectory(prefix="stemma-read-") as folder:
            return await self._read_in(Path(folder), job)

    async def _read_in(self, folder: Path, job: ReadInput) -> InputRead | InputUnreadable:
        kind = {"name": job.name, "media_type": job.file.media_type, "is_text": job.is_text, "is_form": job.form}
        order = Order.model_validate({**kind, "limits": self.file_limits})
        await self._lay(folder / FILE, job, job.file)
        if job.previous is not None:
            await self._lay(folder / BEFORE, job, job.previous)
        try:
            done = await confined_in(folder, _prepared, self.limits, read, order)
        except ConfinementError as ended:
            return self._unreadable(job, _given_up(ended))
        if done.failure is not None:
            return self._unreadable(job, done.failure)
        return await self._stored(folder, job, done)

    async def _lay(self, path: Path, job: ReadInput, ref: ArtifactRef) -> None:
        data = await self.artifacts.get(job.document.tenant, job.document.document_id, ref)
        await asyncio.to_thread(path.write_bytes, data)

    async def _stored(self, folder: Path, job: ReadInput, done: Done) -> InputRead:
        reading = InputReading(
            text=job.file
            if job.is_text
            else await self._put(job, folder / TEXT, "text/markdown", f"{Path(job.name).name}.md"),
            anchors=None if job.is_text else await self._put(job, folder / ANCHORS, "application/json", ANCHORS),
            images=await self._files(folder, job, "image", done.images),
            figures=done.figures,
            warnings=done.warnings,
            more_warnings=done.more_warnings,
            language=done.language,
            title=await self._titled(job, done),
            form=await self._fields(folder, job, done),
            drawn=await self.drawings.of(_prepared, folder, job) if self.drawings else None,
        )
        children = await self._files(folder, job, "child", done.children)
        return InputRead(
            **_echo(job), reading=reading, children=children, difference=await self._changed(folder, job, done)
        )

    async def _titled(self, job: ReadInput, done: Done) -> ArtifactRef | None:
        """What a brief calls itself; nobody asks that of another file."""
        if job.input_id != BRIEF or not done.title:
            return None
        owner = (job.document.tenant, job.document.document_id)
        title = done.title.encode(errors="replace")
        return await self.artifacts.put(*owner, title, media_type="text/plain", name="title.txt")

    async def _fields(self, folder: Path, job: ReadInput, done: Done) -> FoundFields | None:
        if done.field_ids is None:
            return None
        fields = await self._put(job, folder / FIELDS, "application/json", FIELDS)
        return FoundFields(fields=fields, field_ids=done.field_ids, accepted_digest=done.accepted)

    async def _changed(self, folder: Path, job: ReadInput, done: Done) -> InputDifference | None:
        if done.changed_blocks is None:
            return None
        changes = await self._put(job, folder / CHANGES, "application/json", CHANGES)
        return InputDifference(changes=changes, blocks=done.changed_blocks, parts=done.changed_parts)

    async def _files(self, folder: Path, job: ReadInput, kind: str, files: tuple[Part, ...]) -> tuple[InputFile, ...]:
        stored = []
        for number, file in enumerate(files):
            ref = await self._put(job, folder / f"{kind}-{number}", file.media_type, file.name)
            stored.append(InputFile(name=file.name, artifact=ref))
        return tuple(stored)

    async def _put(self, job: ReadInput, path: Path, media_type: str, name: str) -> ArtifactRef:
        data = await asyncio.to_thread(path.read_bytes)
        return await self.artifacts.put(
            job.document.tenant, job.document.document_id, data, media_type=media_type, name=name
        )

    def _unreadable(self, job: ReadInput, why: Unreadable) -> InputUnreadable:
        log.warning("input_unreadable", input_id=job.input_id, reason=why.reason)
        return InputUnreadable(**_echo(job), unreadable=why)


def _given_up(ended: ConfinementError) -> Unreadable:
    match ended:
        case OutOfTime():
            return Unreadable(reason="timeout", detail=f"Reading it took {ended}. Split it, or attach it as PDF.")
        case OutOfMemory():
            return Unreadable(reason="out_of_memory", detail=f"Reading it took {ended}. Split it.")
        case _:
            return Unreadable(reason="damaged", detail="What reads such files failed at it. Export it anew.")


def _echo(job: ReadInput) -> dict[str, Any]:
    document = job.document
    return {"job_id": job.job_id, "tenant": document.tenant, "document_id": document.document_id}


@dataclass(frozen=True)
class Drawings:
    """Draws pages; ``limits`` are those of the process, ``pages`` how many of a file are drawn, 0 for none."""

    artifacts: ArtifactStore
    limits: Limits = field(default_factory=lambda: Limits(seconds=60))
    pages: int = 100
    bytes_each: int = 1024 * 1024

    async def of(self, prepared: Prepared, folder: Path, job: ReadInput) -> ArtifactRef | None:
        """The first pages of the file in a folder, those that were drawn in time; None if there are none."""
        if not (self.pages and job.draw and await asyncio.to_thread(_holds_pdf, folder)):
            return None
        try:
            await confined_in(folder, prepared, self.limits, draw, self.pages, self.bytes_each)
        except (ConfinementError, Stalled) as ended:
            log.warning("pages_not_drawn", input_id=job.input_id, why=str(ended))
        return await self._stored(folder, job)

    async def _stored(self, folder: Path, job: ReadInput) -> ArtifactRef | None:
        pages = [await self._page(folder, number, job) for number in range(self.pages) if _is_there(folder, number)]
        if not pages:
            return None
        return await self._put(job, DrawnPages(pages=tuple(pages)).model_dump_json().encode(), JSON, "pages.json")

    async def _page(self, folder: Path, number: int, job: ReadInput) -> DrawnPage:
        told, png, words = await asyncio.to_thread(_read, folder, number)
        return DrawnPage(
            label=told.label,
            width=told.width,
            height=told.height,
            image=await self._put(job, png, PNG, picture_of(number)),
            words=await self._put(job, words, JSON, words_of(number)),
        )

    async def _put(self, job: ReadInput, data: bytes, media_type: str, name: str) -> ArtifactRef:
        owner = (job.document.tenant, job.document.document_id)
        return await self.artifacts.put(*owner, data, media_type=media_type, name=name)


def _holds_pdf(folder: Path) -> bool:
    with (folder / FILE).open("rb") as file:
        return b"%PDF-" in file.read(1024)


def _is_there(folder: Path, number: int) -> bool:
    return (folder / told_of(number)).is_file()


def _read(folder: Path, number: int) -> tuple[Page, bytes, bytes]:
    told = Page.model_validate_json((folder / told_of(number)).read_bytes())
    return told, (folder / picture_of(number)).read_bytes(), (folder / words_of(number)).read_bytes()
