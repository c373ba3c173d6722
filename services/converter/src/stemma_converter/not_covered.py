"""The appended pages: what of the inputs the document leaves out, and which requirements are open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, NotCovered
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language, Words

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
            found.append(_told(section.section_id, coverage))
    return tuple(found)


def _told(section_id: str, coverage: CoverageSummary) -> NotCovered:
    return NotCovered(
        section_id=section_id,
        missing_blocks=coverage.missing_blocks,
        not_comparable=coverage.not_comparable,
        language=coverage.language if coverage.not_comparable else "",
        languages=tuple(dict.fromkeys(one.language for one in coverage.foreign)),
    )


def report_refs(job: ConvertDocument) -> list[ArtifactRef]:
    """Where the reports lie of the sections that leave something out, of a document that goes out as it is."""
    refs = [section.coverage.report for section in job.sections if section.coverage and not job.redline]
    return [ref for ref in refs if ref is not None]


def read_report(data: bytes) -> CoverageReport | None:
    try:
        return CoverageReport.model_validate_json(data)
    except ValidationError:
        return None


def page(found: Sequence[CoverageReport], spoken: Language) -> list[Node]:
    """The chapter with a table of what is missing, of what was left out and why, and of what cannot be compared."""
    words = spoken.words
    left_out = [(entry.file, entry.heading, entry.reason) for report in found for entry in report.left_out]
    tables = [
        *_table("", _missing(found), words),
        *_table(words.left_out, left_out, words, words.reason),
        *_table(_in_another_language(found, spoken), _foreign(found, spoken), words, words.language),
    ]
    return [node("Header", 1, attributes("not-covered"), text(words.not_covered)), *tables] if tables else []


def _missing(found: Sequence[CoverageReport]) -> list[Row]:
    facts: dict[tuple[str, str], dict[str, None]] = {}
    for block in _blocks(found, "missing"):
        facts.setdefault((block.file, block.chapter), {}).update(dict.fromkeys(block.missing_facts))
    return [(file, chapter, ", ".join(list(named)[:10])) for (file, chapter), named in facts.items()]


def _foreign(found: Sequence[CoverageReport], spoken: Language) -> list[Row]:
    rows = ((block.file, block.chapter, block.language) for block in _blocks(found, "not_comparable"))
    return [(file, chapter, spoken.name_of(tag)) for file, chapter, tag in dict.fromkeys(rows)]


def _in_another_language(found: Sequence[CoverageReport], spoken: Language) -> str:
    tags = (report.language for report in found)
    return spoken.words.not_comparable.format(language=spoken.name_of(next(filter(None, tags), spoken.tag)))


def _blocks(found: Sequence[CoverageReport], standing: str) -> Iterator[BlockCoverage]:
    return (block for report in found for block in report.blocks if block.standing == standing)


def _table(title: str, rows: Sequence[Row], words: Words, last: str = "") -> list[Node]:
    if not rows:
        return []
    has_last = any(row[2] for row in rows)
    heads = [words.file, words.heading, *([last or words.evidence] if has_last else [])]
    shown = [list(row[: len(heads)]) for row in rows[:MAX_ROWS]]
    heading = [node("Header", 2, attributes(), text(title))] if title else []
    return [*heading, pandoc_table(heads, shown)]


def pandoc_table(heads: Sequence[str], rows: Sequence[Sequence[str | list[Node]]]) -> Node:
    columns = [[node("AlignLeft"), node("ColWidthDefault")] for _ in heads]
    head = [attributes(), [_row(heads)]]
    body = [attributes(), 0, [], [_row(row) for row in rows]]
    return node("Table", attributes(), [None, []], columns, head, [body], [attributes(), []])


def _row(cells: Sequence[str | list[Node]]) -> list[object]:
    return [attributes(), [_cell(cell) for cell in cells]]


def _cell(words: str | list[Node]) -> list[object]:
    inlines = text(one_line(words)) if isinstance(words, str) else words
    return [attributes(), node("AlignDefault"), 1, 1, [node("Plain", inlines)]]


def ledger_rows(data: bytes) -> tuple[LedgerRow, ...]:
    try:
        return LedgerRows.model_validate_json(data).rows
    except ValidationError:
        return ()


def open_rows(rows: Sequence[LedgerRow], job: ConvertDocument) -> list[LedgerRow]:
    wanted = frozenset(job.open_requirements)
    return [row for row in rows if row.requirement_id in wanted]


def page_of_open(rows: list[LedgerRow], words: Words) -> list[Node]:
    if not rows:
        return []
    shown = [(row.requirement_id, row.quote, f"{row.source}, {row.place or row.line}") for row in rows[:MAX_ROWS]]
    heading = node("Header", 1, attributes("open-requirements"), text(words.open_requirements))
    return [heading, pandoc_table(("", words.statement, words.file), shown)]
