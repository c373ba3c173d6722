"""What a draft is judged by: of the inputs the passages that it can rest on, and those that its section needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from stemma_contracts.v1.jobs import GenerateSection
from stemma_languages import primary
from stemma_markdown import Document, sentences
from stemma_models.prompting import parse_blocks, without_blocks

from .configuration import Kinds
from .passages import MOST_QUERIES, REQUEST, Corpus, Passage, size_of
from .sources import Library
from .writing import OWN, demands_of, input_blocks, language_of, wanted_by

NEEDED_CHARS = 1_000
"""Of what the section gathers or answers, whether its draft says it or not: it tells what is missing."""
INPUTS = frozenset({REQUEST, *OWN})


async def judged_by(job: GenerateSection, library: Library, kinds: Kinds, material: str, draft: str) -> str:
    """The material of a draft, with the passages that bear on it in place of inputs that are twice as long.

    Passages stand behind what all sections share. A judge of a form, or of a draft in another language than the
    inputs, is given all that the writer was given.
    """
    given = [one for one in parse_blocks(material) if one.tag in INPUTS]
    if job.section.form is not None or not given:
        return material
    corpus, demands = await library.corpus(job.document, job.inputs), await demands_of(job, library)

    def chosen() -> list[Passage]:
        found = set(bearing_on(draft, corpus, language_of(job).tag))
        if job.section.collects or demands:
            wanted = wanted_by(job.section, corpus, demands, kinds)
            found.update(corpus.select(wanted, NEEDED_CHARS, collects=job.section.collects))
        return [one for one in corpus.passages if one in found]

    passages = await asyncio.to_thread(chosen)
    if not passages or 2 * size_of(passages) > sum(len(one.text.encode()) for one in given):
        return material
    rest = without_blocks(material, {*INPUTS, "images", "left_out"})
    return "\n".join((rest, *input_blocks(corpus, passages)))


def bearing_on(draft: str, corpus: Corpus, language: str) -> Sequence[Passage]:
    """The passages that the statements of a draft can rest on; all where that cannot be told."""
    statements = list(dict.fromkeys(_statements(draft, language)))
    if len(statements) > MOST_QUERIES or primary(language) not in corpus.languages:
        return corpus.passages
    return [passage for statement in statements for passage in corpus.bearing_on(statement)]


def _statements(draft: str, language: str) -> Iterator[str]:
    """The sentences of a draft, its rows of tables and lines of code."""
    for block in Document(draft).blocks:
        if block.kind not in ("heading", "blank"):
            said = sentences(block.content, language)
            yield from (one.text for one in said) if said else block.content.splitlines()
