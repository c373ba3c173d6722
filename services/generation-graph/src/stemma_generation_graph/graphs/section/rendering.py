"""Structured answers as Markdown. The headings are those that the shipped blueprint requires."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import assert_never

from .drafts import clean_heading, with_sub_headings, without_headings
from .schemas import Budget, BudgetItem, Component, Connections, Finding, Part, Research, Solution, Structured

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
    blocks = [
        *_prose(answer.summary),
        *_below("## Findings", findings),
        *_below("## Open questions", _bulleted(answer.open_questions)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _finding(finding: Finding) -> list[str]:
    sources = [f"Source: {', '.join(map(_source, finding.sources))}."] if finding.sources else []
    return [f"### {clean_heading(finding.heading)}", *_prose(finding.text), *sources]


def _source(name: str) -> str:
    """A file name in the words that its reader knows the document by."""
    words = re.sub(r"[-_\s]+", " ", PurePosixPath(name).stem)
    return _MARKUP.sub("", re.sub(r"^[\d\W]+", "", words)).strip() or "the inputs"


def _solution(answer: Solution) -> list[str]:
    components = [piece for component in answer.components for piece in _component(component)]
    blocks = [
        *_prose(answer.summary),
        *_below("## What we propose", components),
        *_below("## What the client gains", _bulleted(answer.outcomes)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _component(component: Component) -> list[str]:
    answers = [f"It answers: {_sentence(component.answers)}"] if component.answers else []
    return [f"### {clean_heading(component.name)}", without_headings(component.description), *answers]


def _connections(answer: Connections) -> list[str]:
    rows = [(link.need, link.answer, link.evidence) for link in answer.links]
    table = ["Table: Needs and what answers them", _table(("Need", "Answer", "Evidence"), rows)] if rows else []
    blocks = [
        *_prose(answer.summary),
        *_below("## From need to solution", table),
        *_below("## What remains open", _bulleted(answer.gaps)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _budget(answer: Budget) -> list[str]:
    blocks = [
        *_prose(answer.summary),
        *_below("## Costs", _costs(answer) if answer.items else []),
        *_below("## Assumptions", _bulleted(answer.assumptions)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _costs(answer: Budget) -> list[str]:
    rows = [(item.item, item.basis, _amount(item)) for item in answer.items]
    known = [item.amount for item in answer.items if item.amount is not None]
    if known:
        rows.append((_total_label(answer.items), "", f"{sum(known):,.2f}"))
    head = ("Item", "Basis", f"Amount ({answer.currency})" if answer.currency else "Amount")
    return ["Table: Costs by item", _table(head, rows)]


def _total_label(items: Sequence[BudgetItem]) -> str:
    return "Total" if all(item.amount is not None for item in items) else "Total of the amounts known"


def _amount(item: BudgetItem) -> str:
    return "" if item.amount is None else f"{item.amount:,.2f}"


def _parts(parts: Iterable[Part], above: Sequence[str]) -> list[str]:
    """Further sub-sections; one whose heading is there already is left out, its text is not."""
    blocks = []
    for part in parts:
        heading = f"## {clean_heading(part.heading)}"
        text = [with_sub_headings(part.text)] if part.text else []
        blocks += [*([] if heading in above else [heading]), *text]
    return blocks


def _prose(text: str) -> list[str]:
    """A text in words; what was left empty makes no paragraph."""
    return [without_headings(text)] if text else []


def _below(heading: str, blocks: Sequence[str]) -> list[str]:
    """Blocks below their heading, which does not stand alone: nothing is said of what there is nothing of."""
    return [heading, *blocks] if blocks else []


def _bulleted(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {_sentence(line)}" for line in lines)] if lines else []


def _sentence(line: str) -> str:
    text = _CELL_BREAK.sub(" ", line).lstrip("-*+#> ")
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return _CELL_BREAK.sub(" ", text).replace("\\", "\\\\").replace("|", "\\|").strip()
