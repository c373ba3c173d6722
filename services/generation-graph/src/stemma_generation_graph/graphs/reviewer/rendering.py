"""A review as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stemma_languages import Words

from stemma_generation_graph.writing.drafts import clean_heading, without_headings

from .schemas import Review, ReviewFinding

_BREAK = re.compile(r"\s+")


def rendered(review: Review, titles: Mapping[str, str], words: Words) -> str:
    """The body of the review section, the gravest findings first."""
    headings = {"critical": words.critical_findings, "major": words.major_findings, "minor": words.minor_findings}
    blocks = [without_headings(review.summary)]
    for severity, heading in headings.items():
        found = [finding for finding in review.findings if finding.severity == severity]
        if found:
            blocks += [f"## {heading}", "\n".join(_item(finding, titles, words) for finding in found)]
    return "\n\n".join(blocks if review.findings else [*blocks, words.review_found_nothing])


def _item(finding: ReviewFinding, titles: Mapping[str, str], words: Words) -> str:
    title = clean_heading(titles.get(finding.section, finding.section))
    mend = words.to_mend.format(suggestion=_line(finding.suggestion))
    return f"- {title}: {_line(finding.finding)} {mend}"


def _line(text: str) -> str:
    return _BREAK.sub(" ", text).strip()
