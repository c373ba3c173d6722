"""The appended page that names what of the inputs the document does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.v1.coverage import CoverageReport, NotCovered
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_languages import Words

from .source import one_line
from .tree import Node, attributes, node, text

MAX_ROWS = 500
Row = tuple[str, str, str]


def not_covered(sections: Sequence[ExportSection]) -> tuple[NotCovered, ...]:
    """The sections that have to cover the inputs and do not, or of which nobody knows yet."""
    found = []
    for section in sections:
        coverage = section.coverage
        if section.covers_inputs and section.draft is not None and coverage is None:
            found.append(NotCovered(section_id=section.section_id, checked=False))
        elif coverage is not None and (coverage.missing_blocks or coverage.not_comparable):
            counts = {"missing_blocks": coverage.missing_blocks, "not_comparable": coverage.not_comparable}
            found.append(NotCovered(section_id=section.section_id, **counts))
    return tuple(found)


async def reports(job: ConvertDocument, artifacts: ArtifactStore) -> list[CoverageReport]:
    """The reports of the sections that leave something out, of a document that goes out as it is."""
    refs = [section.coverage.report for section in job.sections if section.coverage and not job.redline]
    found = []
    for ref in filter(None, refs):
        try:
            data = await artifacts.get(job.document.tenant, job.document.document_id, ref)
            found.append(CoverageReport.model_validate_json(data))
        except (ArtifactMissing, ArtifactCorrupt, ValidationError):
            continue
    return found


def page(found: Sequence[CoverageReport], words: Words) -> list[Node]:
    """The chapter with a table of what is missing, of what was left out and why, and of what cannot be compared."""
    missing = _rows(found, "missing")
    foreign = _rows(found, "not_comparable")
    left_out = [(entry.file, entry.heading, entry.reason) for report in found for entry in report.left_out]
    tables = [
        *_table("", missing, words),
        *_table(words.left_out, left_out, words, words.reason),
        *_table(words.not_comparable, foreign, words),
    ]
    return [node("Header", 1, attributes("not-covered"), text(words.not_covered)), *tables] if tables else []


def _rows(found: Sequence[CoverageReport], standing: str) -> list[Row]:
    """The chapters that have such blocks, with what a reader can look for: the facts that are missing."""
    facts: dict[tuple[str, str], dict[str, None]] = {}
    for block in (block for report in found for block in report.blocks if block.standing == standing):
        facts.setdefault((block.file, block.chapter), {}).update(dict.fromkeys(block.missing_facts))
    return [(file, chapter, ", ".join(list(named)[:10])) for (file, chapter), named in facts.items()]


def _table(title: str, rows: Sequence[Row], words: Words, last: str = "") -> list[Node]:
    if not rows:
        return []
    has_last = any(row[2] for row in rows)
    heads = [words.file, words.heading, *([last or words.evidence] if has_last else [])]
    shown = [list(row[: len(heads)]) for row in rows[:MAX_ROWS]]
    heading = [node("Header", 2, attributes(), text(title))] if title else []
    return [*heading, _pandoc_table(heads, shown)]


def _pandoc_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Node:
    columns = [[node("AlignLeft"), node("ColWidthDefault")] for _ in heads]
    head = [attributes(), [_row(heads)]]
    body = [attributes(), 0, [], [_row(row) for row in rows]]
    return node("Table", attributes(), [None, []], columns, head, [body], [attributes(), []])


def _row(cells: Sequence[str]) -> list[object]:
    return [attributes(), [_cell(cell) for cell in cells]]


def _cell(words: str) -> list[object]:
    return [attributes(), node("AlignDefault"), 1, 1, [node("Plain", text(one_line(words)))]]
