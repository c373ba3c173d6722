"""What of the inputs a section does not hold, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stemma_contracts.v1.coverage import CoverageSummary, NotCovered
from stemma_contracts.v1.validation import ValidationSummary

WHY = {
    "absent": "nothing of it is in the text",
    "words": "too little of it is in the text",
    "facts": "amounts, dates or names are missing",
    "unreadable": "it is no text that can be read",
}

_UNKNOWN = "nobody knows what of the inputs it covers; `stemma show` says why, or export again in a moment"


def coverage_lines(validation: ValidationSummary | None, covers_inputs: bool) -> Iterator[str]:
    """A line for the whole, and one for each chapter that lacks something; that nobody knows is told too."""
    coverage = validation.coverage if validation else None
    if validation and covers_inputs and coverage is None:
        yield "coverage: nobody could find out what of the inputs it covers"
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
    for one in coverage.foreign:
        yield f"{one.file}: {incomparable_words(one.blocks, [one.language], coverage.language)}"


def coverage_words(coverage: CoverageSummary | None) -> str:
    """In a few words, for a table; nothing if all is covered or left out."""
    if coverage is None:
        return ""
    lost = f"{coverage.missing_blocks} of {coverage.total} blocks of the inputs not covered"
    foreign = incomparable_words(coverage.not_comparable, [one.language for one in coverage.foreign], coverage.language)
    return "; ".join(filter(None, (lost if coverage.missing_blocks else "", foreign)))


def incomparable_words(blocks: int, languages: Iterable[str], text_language: str) -> str:
    """Why blocks cannot be compared with a text; nothing if there are none."""
    if not blocks:
        return ""
    spoken = " and ".join(_name(tag) for tag in dict.fromkeys(languages)) or "another language"
    text = f", which is in {_name(text_language)}" if text_language else ""
    return f"{blocks} block{'' if blocks == 1 else 's'} in {spoken} not comparable with the text{text}"


def _name(tag: str) -> str:
    # Few verbs name a language, and what knows them takes long to load.
    from stemma_languages import DEFAULT, language

    return language(DEFAULT).name_of(tag)


def export_lines(sections: Sequence[NotCovered]) -> Iterator[str]:
    """What an export says of the sections that do not cover the inputs."""
    for section in sections:
        if not section.checked:
            yield f"{section.section_id}: {_UNKNOWN}"
        elif section.missing_blocks:
            count = section.missing_blocks
            yield f"{section.section_id}: blocks of the inputs that are missing: {count}; a page says which"
        if foreign := incomparable_words(section.not_comparable, section.languages, section.language):
            yield f"{section.section_id}: {foreign}; a page says which"


def lacks_inputs(sections: Sequence[NotCovered]) -> bool:
    return any(section.missing_blocks or not section.checked for section in sections)
