"""The compliance matrix: an appendix that says where each demand is answered, and in each section which it answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count

from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.ledger import AnsweredRows, LedgerRow, RequirementStatus
from stemma_languages import Language, Words

from .not_covered import pandoc_table
from .page_references import paged_link
from .source import one_line
from .tree import Node, attributes, node, plain, text

_NAME = "compliance-matrix"


def with_matrix(
    blocks: list[Node],
    sections: Sequence[ExportSection],
    rows: Sequence[LedgerRow],
    answers: Sequence[AnsweredRows],
    spoken: Language,
) -> list[Node]:
    """The blocks of a document with the matrix behind them, and behind each section the demands that it answers."""
    standing = {name: one for one in answers for name in one.requirement_ids}
    shown = [row for row in rows if row.requirement_id in standing]
    if not shown:
        return blocks
    own, chapters = _free_name(blocks), _chapters(blocks)
    names = _names(chapters, sections)
    answered = [
        block
        for chapter, section in zip(chapters, [None, *sections], strict=False)
        for block in [*chapter, *_answered(section, answers, own, spoken.words)]
    ]
    heading = node("Header", 1, attributes(own), text(spoken.words.matrix))
    return [*answered, heading, _table(shown, standing, names, spoken.words)]


def _free_name(blocks: Sequence[Node]) -> str:
    """The identifier of the heading of the matrix: a section may be called like it."""
    taken = {block["c"][1][0] for block in blocks if block["t"] == "Header"}
    return next(name for name in (f"{_NAME}{'-' * number}" for number in count()) if name not in taken)


def _chapters(blocks: list[Node]) -> list[list[Node]]:
    """What stands before the first heading of level 1, and each of them with what stands below it."""
    starts = [at for at, block in enumerate(blocks) if block["t"] == "Header" and block["c"][0] == 1]
    ends = [*starts, len(blocks)]
    return [blocks[: ends[0]], *(blocks[start:end] for start, end in zip(starts, ends[1:], strict=True))]


def _names(chapters: Sequence[list[Node]], sections: Sequence[ExportSection]) -> dict[str, tuple[str, str]]:
    """Identifier and words of the heading of each section; none where the sections are not the chapters."""
    if len(chapters) != len(sections) + 1:
        return {}
    headers = (chapter[0]["c"] for chapter in chapters[1:])
    pairs = zip(sections, headers, strict=True)
    return {section.section_id: (header[1][0], one_line(plain(header[2]))) for section, header in pairs}


def _answered(section: ExportSection | None, answers: Sequence[AnsweredRows], matrix: str, words: Words) -> list[Node]:
    """The line below a section that names the demands that it answers, and leads to the matrix."""
    mine = [one for one in answers if section and one.section_id == section.section_id]
    ids = sorted((name for one in mine for name in one.requirement_ids), key=_by_number)
    if not ids:
        return []
    told = words.answers.format(names=", ".join(ids))
    return [node("Para", [*text(told), node("Space"), *paged_link(words.matrix, matrix, words)])]


def _by_number(name: str) -> tuple[list[int], str]:
    return [int(digits) for digits in re.findall(r"[0-9]+", name)], name


def _table(
    rows: Sequence[LedgerRow],
    standing: Mapping[str, AnsweredRows],
    names: Mapping[str, tuple[str, str]],
    words: Words,
) -> Node:
    heads = ("", words.demand, words.file, words.obligation, words.answered_in, words.answer_status)
    return pandoc_table(heads, [_row(row, standing[row.requirement_id], names, words) for row in rows])


def _row(
    row: LedgerRow, answer: AnsweredRows, names: Mapping[str, tuple[str, str]], words: Words
) -> list[str | list[Node]]:
    identifier, title = names.get(answer.section_id, ("", answer.section_id))
    where = paged_link(title, identifier, words) if identifier else title
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
