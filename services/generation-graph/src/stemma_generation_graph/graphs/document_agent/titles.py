"""The title of the document: the one that was given, else the heading of the brief, else that of the section."""

from __future__ import annotations

import re

from stemma_contracts.v1.jobs import GenerateSection

from stemma_generation_graph.graphs.section.drafts import clean_heading
from stemma_generation_graph.sources.library import Library

_HEADING = re.compile(r"\A\s*#[ \t]+(\S[^\n]*)")
MAX_CHARS = 200


async def title_of(job: GenerateSection, library: Library) -> str:
    """One line that can be a heading."""
    if job.document.title is not None:
        return clean_heading(await library.text(job.document, job.document.title))[:MAX_CHARS]
    found = _HEADING.match(await library.text(job.document, job.brief))
    return clean_heading(found.group(1) if found else job.section.title)[:MAX_CHARS]
