"""A review as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stemma_generation_graph.graphs.section.drafts import clean_heading, without_headings

from .schemas import Review, ReviewFinding

NOT_REVIEWED = "Nobody has reviewed these sections: the model that is set does not judge."
NOTHING_FOUND = "The review found nothing to mend."
HEADINGS = {"critical": "Critical findings", "major": "Major findings", "minor": "Minor findings"}

_BREAK = re.compile(r"\s+")


def rendered(review: Review, titles: Mapping[str, str]) -> str:
    """The body of the review section, the gravest findings first."""
    blocks = [without_headings(review.summary)]
    for severity, heading in HEADINGS.items():
        found = [finding for finding in review.findings if finding.severity == severity]
        if found:
            blocks += [f"## {heading}", "\n".join(_item(finding, titles) for finding in found)]
    return "\n\n".join(blocks if review.findings else [*blocks, NOTHING_FOUND])


def _item(finding: ReviewFinding, titles: Mapping[str, str]) -> str:
    title = clean_heading(titles.get(finding.section, finding.section))
    return f"- {title}: {_line(finding.finding)} To mend it: {_line(finding.suggestion)}"


def _line(text: str) -> str:
    return _BREAK.sub(" ", text).strip()
