"""What must be there before a section is begun; checked before any model is called."""

from __future__ import annotations

import asyncio

from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.references import ArtifactRef
from stemma_messaging.errors import InvalidMessage

from .sources.library import Library

LEAST_CHARACTERS = 100
BRIEF = "project_brief"


class InputsRefused(InvalidMessage):
    """Inputs that no repetition makes fit; the message names what is wrong, and no file of a host."""


async def missing_inputs(job: GenerateSection, library: Library) -> dict[str, str]:
    """What is missing of what the section requires, by name, each with the words to tell."""
    drafts = {upstream.section_id: upstream.draft for upstream in job.upstream}
    upstream = [name for name in job.section.requires if name != BRIEF]
    lengths = await asyncio.gather(*(_length(job, library, drafts.get(name)) for name in upstream))
    missing = {
        name: f"{name} is required and must be at least {LEAST_CHARACTERS} characters"
        for name, length in zip(upstream, lengths, strict=True)
        if length < LEAST_CHARACTERS
    }
    if BRIEF in job.section.requires and not await _length(job, library, job.brief):
        missing[BRIEF] = f"{BRIEF} is required and must not be blank"
    return missing


async def _length(job: GenerateSection, library: Library, ref: ArtifactRef | None) -> int:
    return 0 if ref is None else len((await library.text(job.document, ref)).strip())
