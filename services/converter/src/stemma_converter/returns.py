"""Compares files that come back, each in a limited process, and stores what people did in them."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from stemma_artifacts.store import ArtifactStore
from stemma_confinement import ConfinementError, Limits
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.jobs import CompareReturn
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import ReturnFigures, WrittenVersions

from .placing import Draft
from .readings import JSON, PREPARED
from .returned import FILE, FOUND, compare, shown_in, text_of


class Found(NamedTuple):
    artifact: ArtifactRef
    figures: ReturnFigures


@dataclass(frozen=True)
class Returns:
    """``limits`` are those of the process of one comparison; a file of more than ``most_bytes`` is not read."""

    artifacts: ArtifactStore
    limits: Limits
    most_bytes: int

    async def compare(self, job: CompareReturn) -> Found | Problem:
        if job.file.size > self.most_bytes:
            return Problem.of("return_unreadable", reason=f"at most {self.most_bytes // 1024**2} MB are read")
        with TemporaryDirectory(prefix="stemma-return-") as name:
            try:
                return await self._compared(job, Path(name))
            except ConfinementError as ended:
                return Problem.of("return_unreadable", reason=f"it took {ended}")

    async def _compared(self, job: CompareReturn, folder: Path) -> Found | Problem:
        await self._lay(job, job.file, folder / FILE)
        known = WrittenVersions.model_validate_json(await self._content(job, job.versions)).versions
        drafts = tuple(Draft(one.section_id, one.version, one.draft.digest) for one in known)
        about = job.document.document_id, drafts, job.file.name
        shown = await confined_in(folder, PREPARED, self.limits, shown_in, *about)
        if shown.failure:
            return shown.failure
        written = {(one.section_id, one.version): one.draft for one in known}
        current = {one.section_id: one for one in known}
        for number, draft in enumerate(shown.drafts):
            now = current[draft.section_id]
            await self._lay(job, written[draft.section_id, draft.version], folder / text_of(number))
            if now.version != draft.version:
                await self._lay(job, now.draft, folder / text_of(number, "now"))
        versions = {name: one.version for name, one in current.items()}
        language = job.document.language or "en"
        done = await confined_in(folder, PREPARED, self.limits, compare, shown.drafts, versions, language)
        if done.failure:
            return done.failure
        found = await asyncio.to_thread((folder / FOUND).read_bytes)
        owner = job.document.tenant, job.document.document_id
        return Found(await self.artifacts.put(*owner, found, media_type=JSON, name=FOUND), done.figures)

    async def _lay(self, job: CompareReturn, ref: ArtifactRef, path: Path) -> None:
        await asyncio.to_thread(path.write_bytes, await self._content(job, ref))

    async def _content(self, job: CompareReturn, ref: ArtifactRef) -> bytes:
        return await self.artifacts.get(job.document.tenant, job.document.document_id, ref)
