"""Structured answers as Markdown. The headings are those that the shipped blueprint requires."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import assert_never

from .drafts import clean_heading, without_headings
from .schemas import Budget, BudgetItem, Connections, Finding, Part, Research, Solution, Structured

NOTHING_OPEN = "The inputs name no open question."
NO_AMOUNT = "to be agreed"

_MARKUP = re.compile(r"[`*<>\[\]\\]")
_CELL_BREAK = re.compile(r"\s*\n\s*")


def render(answer: Structured) -> str:
    """The body of a section, without its title."""
    match answer:
        case Research():
            blocks = _research(answer)
        case Solution():
            blocks = _solution(answer)
        case Connections():
            blocks = _connections(answer)
        case Budget():
            blocks = _budget(answer)
        case _:
            assert_never(answer)
    return "\n\n".join(blocks)


def _research(answer: Research) -> list[str]:
    findings = [piece for finding in answer.findings for piece in _finding(finding)]
    questions = _bullets(answer.open_questions) or NOTHING_OPEN
    blocks = [without_headings(answer.summary), "## Findings", *findings, "## Open questions", questions]
    return blocks + _parts(answer.parts, blocks)


def _finding(finding: Finding) -> list[str]:
    sources = [f"Source: {', '.join(map(_source, finding.sources))}."] if finding.sources else []
    return [f"### {clean_heading(finding.heading)}", without_headings(finding.text), *sources]


def _source(name: str) -> str:
    """A file name in the words that its reader knows the document by."""
    words = re.sub(r"[-_\s]+", " ", PurePosixPath(name).stem)
    return _MARKUP.sub("", re.sub(r"^[\d\W]+", "", words)).strip() or "the inputs"


def _solution(answer: Solution) -> list[str]:
    blocks = [without_headings(answer.summary), "## What we propose"]
    for component in answer.components:
        blocks += [f"### {clean_heading(component.name)}", without_headings(component.description)]
        blocks.append(f"It answers: {_sentence(component.answers)}")
    if answer.outcomes:
        blocks += ["## What the client gains", _bullets(answer.outcomes)]
    return blocks + _parts(answer.parts, blocks)


def _connections(answer: Connections) -> list[str]:
    rows = [(link.need, link.answer, link.evidence) for link in answer.links]
    blocks = [
        without_headings(answer.summary),
        "## From need to solution",
        "Table: Needs and what answers them",
        _table(("Need", "Answer", "Evidence"), rows),
    ]
    if answer.gaps:
        blocks += ["## What remains open", _bullets(answer.gaps)]
    return blocks + _parts(answer.parts, blocks)


def _budget(answer: Budget) -> list[str]:
    rows = [(item.item, item.basis, _amount(item)) for item in answer.items]
    known = [item.amount for item in answer.items if item.amount is not None]
    if known:
        rows.append((_total_label(answer.items), "", f"{sum(known):,.2f}"))
    head = ("Item", "Basis", f"Amount ({answer.currency})")
    blocks = [without_headings(answer.summary), "## Costs", "Table: Costs by item", _table(head, rows)]
    if answer.assumptions:
        blocks += ["## Assumptions", _bullets(answer.assumptions)]
    return blocks + _parts(answer.parts, blocks)


def _total_label(items: Sequence[BudgetItem]) -> str:
    return "Total" if all(item.amount is not None for item in items) else "Total of the amounts known"


def _amount(item: BudgetItem) -> str:
    return NO_AMOUNT if item.amount is None else f"{item.amount:,.2f}"


def _parts(parts: Iterable[Part], above: Sequence[str]) -> list[str]:
    """Further sub-sections; one whose heading is there already is left out, its text is not."""
    blocks = []
    for part in parts:
        heading = f"## {clean_heading(part.heading)}"
        blocks += [without_headings(part.text)] if heading in above else [heading, without_headings(part.text)]
    return blocks


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_sentence(line)}" for line in lines)


def _sentence(line: str) -> str:
    text = _CELL_BREAK.sub(" ", line).lstrip("-*+#> ")
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return _CELL_BREAK.sub(" ", text).replace("\\", "\\\\").replace("|", "\\|").strip()
