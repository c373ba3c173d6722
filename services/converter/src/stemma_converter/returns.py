"""Compares files that come back, each in a limited process, and stores what people did in them."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from stemma_artifacts.store import fetch, look_for
from stemma_confinement import ConfinementError
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.jobs import CompareReturn
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import ReturnFigures, WrittenVersion, WrittenVersions

from .placing import Draft
from .readings import JSON, Readings
from .returned import FILE, FOUND, compare, shown_in, text_of


class Found(NamedTuple):
    artifact: ArtifactRef
    figures: ReturnFigures


@dataclass(frozen=True)
class Returns:
    """Compares files under the limits of readings, and in their turns."""

    readings: Readings

    async def compare(self, job: CompareReturn) -> Found | Problem:
        if job.file.size > (most := self.readings.file_limits.file_bytes):
            return Problem.of("return_unreadable", reason=f"at most {most // 1024**2} MB are read")
        with TemporaryDirectory(prefix="stemma-return-") as name:
            folder, owner = Path(name), (job.document.tenant, job.document.document_id)
            await look_for(self.readings.artifacts, *owner, job.file)
            versions = WrittenVersions.model_validate_json(await self.readings.artifacts.get(*owner, job.versions))
            try:
                async with self.readings.turns.turn(job.document.tenant):
                    await self._lay(job, job.file, folder / FILE)
                    return await self._compared(job, folder, versions.versions)
            except ConfinementError as ended:
                return Problem.of("return_unreadable", reason=f"it took {ended}")

    async def _compared(self, job: CompareReturn, folder: Path, known: tuple[WrittenVersion, ...]) -> Found | Problem:
        drafts = tuple(Draft(one.section_id, one.version, one.draft.digest) for one in known)
        about = job.document.document_id, drafts, job.file.name
        shown = await confined_in(folder, self.readings.prepared, self.readings.limits, shown_in, *about)
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
        done = await confined_in(
            folder, self.readings.prepared, self.readings.limits, compare, shown.drafts, versions, language
        )
        if done.failure:
            return done.failure
        found = await asyncio.to_thread((folder / FOUND).read_bytes)
        owner = job.document.tenant, job.document.document_id
        return Found(await self.readings.artifacts.put(*owner, found, media_type=JSON, name=FOUND), done.figures)

    async def _lay(self, job: CompareReturn, ref: ArtifactRef, path: Path) -> None:
        await fetch(self.readings.artifacts, job.document.tenant, job.document.document_id, ref, path)
