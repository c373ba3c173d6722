"""A review by what can be checked: which demands of the material no section takes up."""

from __future__ import annotations

from typing import Any

from .demands import is_order, missing
from .plain import bare, safe
from .request import Request

_MOST = 5
_DECISIONS = "## Decisions"


def review_facts(request: Request) -> dict[str, Any]:
    """Findings about the section that each missing demand belongs to: the first for the brief's, else the second."""
    sections = [section.id for section in request.upstream]
    lacking = missing(request, [section.text for section in request.upstream])
    of_brief = {sentence for unit in request.brief_units for sentence in unit.sentences}
    findings = [
        {
            "section": sections[0 if demand in of_brief else min(1, len(sections) - 1)],
            "severity": "major",
            "finding": f"No section takes up “{bare(demand)}”",
            "suggestion": "Say how the design meets it.",
        }
        for demand in lacking[:_MOST]
        if sections
    ]
    names = ", ".join(section.title for section in request.upstream)
    held = f"Reviewed were {names}, held against the brief and {len(request.inputs)} inputs."
    return {"summary": safe(f"{held} {_result(len(lacking))}"), "findings": findings}


def _result(lacking: int) -> str:
    if not lacking:
        return "Every demand of the material is taken up somewhere."
    return f"{lacking} demand{'s' if lacking > 1 else ''} of the material {'are' if lacking > 1 else 'is'} not."


def final_facts(request: Request) -> dict[str, Any]:
    """What introduces the final document: the case as the brief has it, and what was decided."""
    paragraphs = [
        [sentence for sentence in unit.sentences if not is_order(sentence)]
        for unit in request.brief_units
        if unit.kind == "paragraph"
    ]
    told = [safe(" ".join(sentences)) for sentences in paragraphs if sentences]
    return {"introduction": "\n\n".join(told) or safe(request.section.title), "key_decisions": _decisions(request)}


def _decisions(request: Request) -> list[str]:
    found = []
    for section in request.upstream:
        _, _, after = section.text.partition(f"{_DECISIONS}\n")
        found += [line[2:] for line in after.partition("\n## ")[0].splitlines() if line.startswith("- ")]
    return found[:_MOST]
