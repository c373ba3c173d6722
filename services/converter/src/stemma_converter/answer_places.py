"""Where in the draft of its section each demand is answered: below which heading, and in which words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef
from stemma_markdown import plain

from .order import Staged

MOST_WORDS = 160
"""Characters of the block: enough to find it, and too few to fill the table."""


@dataclass(frozen=True)
class AnswerPlace:
    """A block: the number of the heading that it stands below, from 1, 0 if none does, and how many the draft has."""

    heading: int
    headings: int
    words: str


def block_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    """Where it lies which blocks the drafts have."""
    return (section.blocks for section in job.sections if section.blocks) if job.answers else iter(())


def answer_places(job: ConvertDocument, artifacts: Staged) -> dict[str, AnswerPlace]:
    """The places of the answers that are known, by the ids of the demands."""
    sections = {name: one.section_id for one in job.matrix for name in one.requirement_ids}
    wanted: dict[str, dict[str, str]] = {}
    for answer in job.answers:
        own = wanted.setdefault(sections.get(answer.requirement_id, ""), {})
        own[answer.requirement_id] = answer.block_id
    places: dict[str, AnswerPlace] = {}
    for section in job.sections:
        blocks = _blocks(section, artifacts)
        found = ((name, blocks.get(block)) for name, block in wanted.get(section.section_id, {}).items())
        places |= {name: place for name, place in found if place is not None}
    return places


def _blocks(section: ExportSection, artifacts: Staged) -> dict[str, AnswerPlace]:
    """The blocks of a draft by their ids; none if it is not known which they are."""
    if section.draft is None or section.blocks is None or not artifacts.has(section.blocks):
        return {}
    try:
        blocks = BlockIndex.model_validate_json(artifacts.get(section.blocks)).blocks
    except ValidationError:
        return {}
    text = artifacts.get(section.draft).decode("utf-8", errors="replace")
    headings, places = sum(block.kind == "heading" for block in blocks), dict[str, AnswerPlace]()
    above = 0
    for block in blocks:
        above += block.kind == "heading"
        places[block.block_id] = AnswerPlace(above, headings, text[block.start : block.end])
    return places


def shown(place: AnswerPlace) -> str:
    """How the words of a block begin."""
    words = " ".join(plain(place.words).split())
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS].rsplit(' ', 1)[0]} …"
