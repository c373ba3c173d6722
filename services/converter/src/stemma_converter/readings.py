"""Reads files, draws the pages of PDFs, compares files that come back; each in a limited process. Stores the results.

Pages are drawn after the text is read: a file is read whether its pages can be drawn or not.
"""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from stemma_artifacts.store import ArtifactStore, fetch, look_for
from stemma_confinement import ConfinementError, Limits, OutOfMemory, OutOfTime, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_contracts.base import filled_from
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.forms import FoundFields
from stemma_contracts.v1.inputs import BRIEF, DrawnPage, DrawnPages, InputDifference, InputReading, Unreadable
from stemma_contracts.v1.jobs import CompareReturn, Job, ReadInput
from stemma_contracts.v1.outcomes import InputRead, InputUnreadable, ReturnCompared, ReturnNotCompared
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.returned import WrittenVersion, WrittenVersions
from stemma_languages import role_of_name
from stemma_messaging import Turns
from stemma_telemetry import get_logger

from . import reading_call, returned
from .placing import Draft
from .reading import Limits as FileLimits

log = get_logger()
# One for all files, forms and conversions of this process; it starts with the first of them.
PREPARED = Prepared(reading_call.prepare)
PNG, JSON = "image/png", "application/json"


@dataclass(frozen=True)
class Drawings:
    """Limits of the process that draws, and how many pages of a file are drawn, 0 for none."""

    limits: Limits = field(default_factory=lambda: Limits(seconds=60))
    pages: int = 100
    bytes_each: int = 1024 * 1024


@dataclass(frozen=True)
class Readings:
    """Reads files; ``limits`` are those of the process of one reading, ``file_limits`` how much of a file is read.

    What a job needs is looked for before its turn, and fetched in it: a wait for what is lost holds up nobody, and a
    job that waits takes no room.
    """

    artifacts: ArtifactStore
    limits: Limits
    turns: Turns
    file_limits: FileLimits = field(default_factory=FileLimits)
    drawings: Drawings = field(default_factory=lambda: Drawings(pages=0))
    prepared: Prepared = PREPARED

    async def read(self, job: ReadInput) -> InputRead | InputUnreadable:
        if job.file.size > self.file_limits.file_bytes:
            most = self.file_limits.file_bytes // 1024**2
            return _unreadable(job, Unreadable(reason="too_large", detail=f"at most {most} MB are read"))
        with TemporaryDirectory(prefix="stemma-read-") as name:
            folder = Path(name)
            passages = ((ref, reading_call.passage_of(number)) for number, ref in enumerate(job.confidential))
            laid = ((job.file, reading_call.FILE), (job.previous, reading_call.BEFORE), *passages)
            files = [(ref, folder / file) for ref, file in laid if ref is not None]
            owner = (job.document.tenant, job.document.document_id)
            await look_for(self.artifacts, *owner, *(ref for ref, _ in files))
            async with self.turns.turn(job.document.tenant):
                for ref, file in files:
                    await fetch(self.artifacts, *owner, ref, file)
                return await self._read(job, folder)

    async def compare(self, job: CompareReturn) -> ReturnCompared | ReturnNotCompared:
        """What people did in a file that came back, stored; a problem says why nobody can tell."""
        if job.file.size > (most := self.file_limits.file_bytes):
            return _not_compared(job, f"at most {most // 1024**2} MB are read")
        with TemporaryDirectory(prefix="stemma-return-") as name:
            folder, owner = Path(name), (job.document.tenant, job.document.document_id)
            await look_for(self.artifacts, *owner, job.file)
            versions = WrittenVersions.model_validate_json(await self.artifacts.get(*owner, job.versions))
            try:
                async with self.turns.turn(job.document.tenant):
                    await fetch(self.artifacts, *owner, job.file, folder / returned.FILE)
                    return await self._compared(job, folder, versions.versions)
            except ConfinementError as ended:
                return _not_compared(job, f"it took {ended}")

    async def _compared(
        self, job: CompareReturn, folder: Path, known: tuple[WrittenVersion, ...]
    ) -> ReturnCompared | ReturnNotCompared:
        drafts = tuple(Draft(one.section_id, one.version, one.draft.digest) for one in known)
        confined, owner = (folder, self.prepared, self.limits), (job.document.tenant, job.document.document_id)
        shown = await confined_in(*confined, returned.shown_in, job.document.document_id, drafts, job.file.name)
        if shown.failure:
            return _failed(job, shown.failure)
        written = {(one.section_id, one.version): one.draft for one in known}
        current = {one.section_id: one for one in known}
        for number, draft in enumerate(shown.drafts):
            now, ref = current[draft.section_id], written[draft.section_id, draft.version]
            await fetch(self.artifacts, *owner, ref, folder / returned.text_of(number))
            if now.version != draft.version:
                await fetch(self.artifacts, *owner, now.draft, folder / returned.text_of(number, "now"))
        versions = {name: one.version for name, one in current.items()}
        done = await confined_in(*confined, returned.compare, shown.drafts, versions, job.document.language or "en")
        if done.failure:
            return _failed(job, done.failure)
        found = await self._put(job, folder / returned.FOUND, JSON, returned.FOUND)
        return ReturnCompared(**job.echo(), found=found, figures=done.figures)

    async def _read(self, job: ReadInput, folder: Path) -> InputRead | InputUnreadable:
        try:
            done = await confined_in(folder, self.prepared, self.limits, reading_call.read, job, self.file_limits)
        except ConfinementError as ended:
            return _unreadable(job, _given_up(ended))
        return _unreadable(job, done.failure) if done.failure else await self._stored(folder, job, done)

    async def _stored(self, folder: Path, job: ReadInput, done: reading_call.Done) -> InputRead:
        is_own, name = job.is_text and not job.confidential, Path(job.name).name
        text = (job.file.media_type, name) if job.is_text else ("text/markdown", f"{name}.md")
        reading = filled_from(
            InputReading,
            done,
            text=job.file if is_own else await self._put(job, folder / reading_call.TEXT, *text),
            anchors=None
            if job.is_text
            else await self._put(job, folder / reading_call.ANCHORS, JSON, reading_call.ANCHORS),
            images=await self._files(folder, job, "image", done.images),
            title=await self._titled(job, done),
            form=await self._fields(folder, job, done),
            drawn=await self._drawn(folder, job),
        )
        children = tuple(map(_attached, await self._files(folder, job, "child", done.children)))
        difference = await self._changed(folder, job, done)
        return InputRead(**job.echo(), reading=reading, children=children, difference=difference)

    async def _titled(self, job: ReadInput, done: reading_call.Done) -> ArtifactRef | None:
        """What a brief calls itself; nobody asks that of another file."""
        if job.input_id != BRIEF or not done.title:
            return None
        return await self._put(job, done.title.encode(errors="replace"), "text/plain", "title.txt")

    async def _fields(self, folder: Path, job: ReadInput, done: reading_call.Done) -> FoundFields | None:
        if done.field_ids is None:
            return None
        fields = await self._put(job, folder / reading_call.FIELDS, JSON, reading_call.FIELDS)
        return FoundFields(fields=fields, field_ids=done.field_ids, accepted_digest=done.accepted)

    async def _changed(self, folder: Path, job: ReadInput, done: reading_call.Done) -> InputDifference | None:
        if done.changed_blocks is None:
            return None
        changes = await self._put(job, folder / reading_call.CHANGES, JSON, reading_call.CHANGES)
        return InputDifference(changes=changes, blocks=done.changed_blocks, parts=done.changed_parts)

    async def _files(
        self, folder: Path, job: ReadInput, kind: str, files: tuple[reading_call.Part, ...]
    ) -> tuple[InputFile, ...]:
        stored = []
        for number, file in enumerate(files):
            ref = await self._put(job, folder / f"{kind}-{number}", file.media_type, file.name)
            stored.append(InputFile(name=file.name, artifact=ref))
        return tuple(stored)

    async def _drawn(self, folder: Path, job: ReadInput) -> ArtifactRef | None:
        """The first pages of the file in a folder, those that were drawn in time; None if there are none."""
        most = self.drawings.pages
        if not (most and job.draw and await asyncio.to_thread(_holds_pdf, folder)):
            return None
        try:
            limits, size = self.drawings.limits, self.drawings.bytes_each
            await confined_in(folder, self.prepared, limits, reading_call.draw, most, size)
        except (ConfinementError, Stalled) as ended:
            log.warning("pages_not_drawn", input_id=job.input_id, why=str(ended))
        files = [folder / reading_call.page_of(number) for number in range(most)]
        pages = [await self._page(number, file, job) for number, file in enumerate(files) if file.is_file()]
        if not pages:
            return None
        return await self._put(job, DrawnPages(pages=tuple(pages)).model_dump_json().encode(), JSON, "pages.json")

    async def _page(self, number: int, file: Path, job: ReadInput) -> DrawnPage:
        page = reading_call.Page.model_validate_json(await asyncio.to_thread(file.read_bytes))
        picture, words = reading_call.picture_of(number), reading_call.words_of(number)
        return filled_from(
            DrawnPage,
            page,
            image=await self._put(job, file.with_name(picture), PNG, picture),
            words=await self._put(job, file.with_name(words), JSON, words),
        )

    async def _put(self, job: Job, content: bytes | Path, media_type: str, name: str) -> ArtifactRef:
        data = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
        owner = (job.document.tenant, job.document.document_id)
        return await self.artifacts.put(*owner, data, media_type=media_type, name=name)


def _attached(file: InputFile) -> InputFile:
    role = role_of_name(file.name, file.artifact.media_type) or "evidence"
    return file.model_copy(update={**InputFile.fields_of(role), "proposed": True})


def _unreadable(job: ReadInput, why: Unreadable) -> InputUnreadable:
    log.warning("input_unreadable", input_id=job.input_id, reason=why.reason)
    return InputUnreadable(**job.echo(), unreadable=why)


def _not_compared(job: CompareReturn, why: str) -> ReturnNotCompared:
    return _failed(job, Problem.of("return_unreadable", reason=why))


def _failed(job: CompareReturn, why: Problem) -> ReturnNotCompared:
    return ReturnNotCompared(**job.echo(), detail=why.message[:300], code=why.code, params=why.params)


def _given_up(ended: ConfinementError) -> Unreadable:
    match ended:
        case OutOfTime():
            return Unreadable(reason="timeout", detail=f"Reading it took {ended}. Split it, or attach it as PDF.")
        case OutOfMemory():
            return Unreadable(reason="out_of_memory", detail=f"Reading it took {ended}. Split it.")
        case _:
            return Unreadable(reason="damaged", detail="What reads such files failed at it. Export it anew.")


def _holds_pdf(folder: Path) -> bool:
    with (folder / reading_call.FILE).open("rb") as file:
        return b"%PDF-" in file.read(1024)
