"""What of the inputs a section does not hold, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemma_contracts.v1.coverage import CoverageSummary, NotCovered

WHY = {
    "absent": "nothing of it is in the text",
    "words": "too little of it is in the text",
    "facts": "amounts, dates or names are missing",
    "unreadable": "it is no text that can be read",
}


def coverage_lines(coverage: CoverageSummary | None) -> Iterator[str]:
    """A line for the whole, and one for each chapter that lacks something."""
    if coverage is None or coverage.covered == coverage.total:
        return
    counts = {"missing": coverage.missing_blocks, "left out": coverage.left_out}
    counts["not comparable"] = coverage.not_comparable
    rest = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    yield f"coverage: {coverage.covered} of {coverage.total} blocks of the inputs are covered; {rest}"
    for chapter in coverage.missing:
        title = f", {chapter.chapter}" if chapter.chapter else ""
        times = f" ({chapter.blocks} blocks)" if chapter.blocks > 1 else ""
        yield f"not covered: {chapter.file}{title}, line {chapter.line}: {WHY[chapter.why]}{times}"
    if coverage.more:
        yield f"not covered: {coverage.more} more chapters; the export names them"


def coverage_words(coverage: CoverageSummary | None) -> str:
    """In a few words, for a table; nothing if all is covered."""
    if coverage is None or not coverage.missing_blocks:
        return ""
    return f"{coverage.missing_blocks} of {coverage.total} blocks of the inputs not covered"


def export_lines(sections: Sequence[NotCovered]) -> Iterator[str]:
    """What an export says of the sections that do not cover the inputs."""
    for section in sections:
        if not section.checked:
            yield f"{section.section_id}: nobody knows yet what of the inputs it covers; export again in a moment"
        elif section.missing_blocks:
            yield f"{section.section_id}: {section.missing_blocks} blocks of the inputs are missing; a page says which"
        if section.not_comparable:
            yield f"{section.section_id}: {section.not_comparable} blocks are in another language, not comparable"


def lacks_inputs(sections: Sequence[NotCovered]) -> bool:
    """Whether an export lacks something of the inputs, or may."""
    return any(section.missing_blocks or not section.checked for section in sections)
