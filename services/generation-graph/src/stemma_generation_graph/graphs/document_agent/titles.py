"""The title of the document: the one that was given, else the heading of the brief, else that of the section."""

from __future__ import annotations

from stemma_contracts.v1.jobs import GenerateSection
from stemma_markdown import Document

from stemma_generation_graph.sources.library import Library
from stemma_generation_graph.writing.drafts import clean_heading

MAX_CHARS = 200


async def title_of(job: GenerateSection, library: Library) -> str:
    """One line that can be a heading."""
    if job.document.title is not None:
        return clean_heading(await library.text(job.document, job.document.title))[:MAX_CHARS]
    brief = Document(await library.text(job.document, job.brief))
    first = next((block for block in brief.blocks if block.kind not in ("blank", "front_matter")), None)
    heading = brief.headings[0].text if first is not None and (first.kind, first.level) == ("heading", 1) else ""
    return clean_heading(heading or job.section.title)[:MAX_CHARS]
