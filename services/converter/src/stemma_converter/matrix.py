"""The compliance matrix: an appendix that says where each demand is answered, and in each section which it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from pydantic import ValidationError
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import AnsweredRows, LedgerRow, RequirementStatus
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language, Words
from stemma_markdown import plain as plain_markdown

from .not_covered import pandoc_table
from .order import Staged
from .page_references import paged_link
from .source import one_line
from .tree import Node, attributes, node, plain, text

_NAME = "compliance-matrix"

Heading = tuple[str, str]
"""The identifier of a heading, and its words."""
MOST_WORDS = 160
"""Characters of the block: enough to find it, and too few to fill the table."""


@dataclass(frozen=True)
class Answers:
    """The demands of a document: which section answers each, and where in it, as far as that is known."""

    rows: Sequence[LedgerRow]
    answered: Sequence[AnsweredRows]
    places: Mapping[str, AnswerPlace] = field(default_factory=dict)


def with_matrix(blocks: list[Node], sections: Sequence[ExportSection], found: Answers, spoken: Language) -> list[Node]:
    """The blocks of a document with the matrix behind them, and behind each section the demands that it answers."""
    answers = found.answered
    standing = {name: one for one in answers for name in one.requirement_ids}
    counting = [row for row in found.rows if row.requirement_id in standing]
    if not counting:
        return blocks
    own, chapters = _free_name(blocks), _chapters(blocks)
    headings = _headings(chapters, sections)
    answered = [
        block
        for chapter, section in zip(chapters, [None, *sections], strict=False)
        for block in [*chapter, *_answered(section, answers, own, spoken.words)]
    ]
    heading = node("Header", 1, attributes(own), text(spoken.words.matrix))
    rows = []
    for row in counting:
        one, place = standing[row.requirement_id], found.places.get(row.requirement_id)
        rows.append(_row(row, one, _where(one.section_id, place, headings, spoken.words), spoken.words))
    return [*answered, heading, _table(rows, spoken.words)]


def _free_name(blocks: Sequence[Node]) -> str:
    taken = {block["c"][1][0] for block in blocks if block["t"] == "Header"}
    return next(name for name in (f"{_NAME}{'-' * number}" for number in count()) if name not in taken)


def _chapters(blocks: list[Node]) -> list[list[Node]]:
    """What stands before the first heading of level 1, and each of them with what stands below it."""
    starts = [at for at, block in enumerate(blocks) if block["t"] == "Header" and block["c"][0] == 1]
    ends = [*starts, len(blocks)]
    return [blocks[: ends[0]], *(blocks[start:end] for start, end in zip(starts, ends[1:], strict=True))]


def _headings(chapters: Sequence[list[Node]], sections: Sequence[ExportSection]) -> dict[str, list[Heading]]:
    if len(chapters) != len(sections) + 1:
        return {}
    return {section.section_id: _of(chapter) for section, chapter in zip(sections, chapters[1:], strict=True)}


def _of(chapter: Sequence[Node]) -> list[Heading]:
    headers = (block["c"] for block in chapter if block["t"] == "Header")
    return [(header[1][0], one_line(plain(header[2]))) for header in headers]


def _where(
    section_id: str, place: AnswerPlace | None, headings: Mapping[str, Sequence[Heading]], words: Words
) -> list[Node]:
    own = headings.get(section_id, ())
    identifier, title = own[0] if own else ("", section_id)
    if below := _below(place, own):
        identifier, title = below[0], f"{title}: {below[1]}"
    where = paged_link(title, identifier, words) if identifier else text(title)
    if place is None:
        return where
    return [*where, node("Str", ":"), node("Space"), node("Emph", text(one_line(shown(place))))]


def _below(place: AnswerPlace | None, headings: Sequence[Heading]) -> Heading | None:
    """The heading that an answer stands below, if it is another one than that of the section.

    A draft that begins without a heading got one here.
    """
    if place is None or len(headings) - place.headings not in (0, 1):
        return None
    number = place.heading - 1 + len(headings) - place.headings
    return headings[number] if number > 0 else None


def _answered(section: ExportSection | None, answers: Sequence[AnsweredRows], matrix: str, words: Words) -> list[Node]:
    mine = [one for one in answers if section and one.section_id == section.section_id]
    ids = sorted((name for one in mine for name in one.requirement_ids), key=_by_number)
    if not ids:
        return []
    told = words.answers.format(names=", ".join(ids))
    return [node("Para", [*text(told), node("Space"), *paged_link(words.matrix, matrix, words)])]


def _by_number(name: str) -> tuple[list[int], str]:
    return [int(digits) for digits in re.findall(r"[0-9]+", name)], name


def _table(rows: Sequence[Sequence[str | list[Node]]], words: Words) -> Node:
    heads = ("", words.demand, words.file, words.obligation, words.answered_in, words.answer_status)
    return pandoc_table(heads, rows)


def _row(row: LedgerRow, answer: AnsweredRows, where: list[Node], words: Words) -> list[str | list[Node]]:
    obligation = {
        "mandatory": words.obligation_mandatory,
        "should": words.obligation_should,
        "option": words.obligation_option,
    }[row.obligation]
    quote = f"{row.announced_by} {row.quote}".strip()
    return [
        row.requirement_id,
        quote,
        f"{row.source}, {row.place or _nearest(row)}",
        obligation,
        where,
        _status(answer.status, words),
    ]


def _nearest(row: LedgerRow) -> str:
    return row.headings[-1] if row.headings else f"{row.line}"


def _status(status: RequirementStatus, words: Words) -> str:
    return {
        "open": words.answer_open,
        "addressed": words.answer_addressed,
        "verified": words.answer_verified,
        "not_applicable": words.answer_not_applicable,
    }[status]


@dataclass(frozen=True)
class AnswerPlace:
    """A block: the number of the heading that it stands below, from 1, 0 if none does, and how many the draft has."""

    heading: int
    headings: int
    words: str


def block_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    return (section.blocks for section in job.sections if section.blocks) if job.answers else iter(())


def answer_places(job: ConvertDocument, artifacts: Staged) -> dict[str, AnswerPlace]:
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
    words = " ".join(plain_markdown(place.words).split())
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS].rsplit(' ', 1)[0]} …"
