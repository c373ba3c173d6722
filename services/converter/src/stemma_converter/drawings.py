"""The pages of a PDF, drawn and stored beside its text, so that people see where something stands.

A file is read whether its pages can be drawn or not: they are drawn in a process of their own, after it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from stemma_artifacts.store import ArtifactStore
from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.inputs import DrawnPage, DrawnPages
from stemma_contracts.v1.jobs import ReadInput
from stemma_contracts.v1.references import ArtifactRef
from stemma_telemetry import get_logger

from .drawing_call import FILE, Page, draw, picture_of, told_of, words_of

log = get_logger()
PNG, JSON = "image/png", "application/json"


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
