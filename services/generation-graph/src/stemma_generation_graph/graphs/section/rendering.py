"""Structured answers as Markdown, in the language of the document.

The headings are those that the shipped blueprint requires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Self, assert_never

from pydantic import Field, StringConstraints, model_validator
from stemma_languages import Language

from stemma_generation_graph.writing.drafts import clean_heading, with_sub_headings, without_headings
from stemma_generation_graph.writing.schemas import LARGEST, Filled, Line, Prose, Text


class StructuredSection(Filled):
    """A section that a model fills in field by field: none has to be filled, all of them may not be empty."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not any(value for name, value in self if name != "currency"):
            raise ValueError(f"nothing is filled in; the fields are {', '.join(type(self).model_fields)}")
        return self


class Part(Filled):
    """A sub-section in words."""

    heading: Line = Field(description="heading without # and without closing punctuation")
    text: Text = Field(default="", description="Markdown paragraphs, lists or tables, without headings")


class Finding(Part):
    """What the inputs say about one question."""

    sources: list[Line] = Field(default=[], description="names of the inputs that it rests on")


class Research(StructuredSection):
    """What is known from the brief and the inputs."""

    summary: Text = Field(default="", description="one to three paragraphs: what matters most, with figures")
    findings: list[Finding] = Field(default=[], description="one per question that matters, weightiest first")
    open_questions: list[Line] = Field(default=[], description="what the inputs leave open, as questions")
    parts: list[Part] = Field(default=[], description="sub-sections for required headings that are not covered")


class Component(Filled):
    """One part of a solution."""

    name: Line
    description: Prose = Field(description="what it is and does, in a paragraph or two")
    answers: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = Field(
        default="", description="the need of the brief that it answers"
    )


class Solution(StructuredSection):
    """What is proposed."""

    summary: Text = Field(default="", description="one to three paragraphs: the solution as a whole")
    components: list[Component] = Field(default=[], description="the parts of the solution")
    outcomes: list[Line] = Field(default=[], description="what the client gains, each in a sentence")
    parts: list[Part] = Field(default=[], description="sub-sections for required headings that are not covered")


class Connection(Filled):
    """How one need is met."""

    need: Line = Field(description="a need or requirement of the brief or the inputs")
    answer: Line = Field(description="the part of the solution that meets it, and how")
    evidence: Line = Field(description="where that stands: an input's name or a section's title")


class Connections(StructuredSection):
    """How the solution meets the needs, one by one."""

    summary: Text = Field(
        default="", description="one or two paragraphs: how well the solution fits, and where it does not"
    )
    links: list[Connection] = Field(default=[], description="one per need")
    gaps: list[Line] = Field(default=[], description="needs that are not met, each in a sentence")
    parts: list[Part] = Field(default=[], description="sub-sections for required headings that are not covered")


class BudgetItem(Filled):
    """One line of a budget."""

    item: Line
    basis: Line = Field(description="how the amount comes about, or why there is none")
    amount: Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)] | None = Field(
        default=None, description="in the budget's currency; null if the material supports no figure"
    )


class Budget(StructuredSection):
    """What it costs. Code adds up the total."""

    summary: Text = Field(
        default="", description="one or two paragraphs: what the money is for, limits that were given"
    )
    currency: Annotated[str, StringConstraints(pattern=r"^([A-Z]{3})?$")] = Field(
        default="", description="ISO 4217 code; empty without items"
    )
    items: list[BudgetItem] = Field(default=[], description="what is paid for")
    assumptions: list[Line] = Field(default=[], description="what the figures assume, each in a sentence")
    parts: list[Part] = Field(default=[], description="sub-sections for required headings that are not covered")


Structured = Research | Solution | Connections | Budget
SCHEMAS: dict[str, type[Structured]] = {schema.__name__: schema for schema in (Research, Solution, Connections, Budget)}


_MARKUP = re.compile(r"[`*<>\[\]\\]")
_CELL_BREAK = re.compile(r"(?<!\s)\s*\n\s*")


def render(answer: Structured, language: Language) -> str:
    match answer:
        case Research():
            blocks = _research(answer, language)
        case Solution():
            blocks = _solution(answer, language)
        case Connections():
            blocks = _connections(answer, language)
        case Budget():
            blocks = _budget(answer, language)
        case _:
            assert_never(answer)
    return "\n\n".join(blocks)


def _research(answer: Research, language: Language) -> list[str]:
    findings = [piece for finding in answer.findings for piece in _finding(finding, language)]
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.findings, findings),
        *_below(language.words.open_questions, bulleted(answer.open_questions, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _finding(finding: Finding, language: Language) -> list[str]:
    names = ", ".join(_source(name, language) for name in finding.sources)
    sources = [language.sentence(language.words.source.format(names=names))] if names else []
    return [f"### {clean_heading(finding.heading)}", *_prose(finding.text), *sources]


def _source(name: str, language: Language) -> str:
    """A file name in the words that its reader knows the document by."""
    words = re.sub(r"[-_\s]+", " ", PurePosixPath(name).stem)
    return _MARKUP.sub("", re.sub(r"^[\d\W]+", "", words)).strip() or language.words.the_inputs


def _solution(answer: Solution, language: Language) -> list[str]:
    components = [piece for component in answer.components for piece in _component(component, language)]
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.what_we_propose, components),
        *_below(language.words.what_the_client_gains, bulleted(answer.outcomes, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _component(component: Component, language: Language) -> list[str]:
    need = _sentence(component.answers, language)
    answers = [language.words.it_answers.format(need=need)] if component.answers else []
    return [f"### {clean_heading(component.name)}", without_headings(component.description), *answers]


def _connections(answer: Connections, language: Language) -> list[str]:
    words = language.words
    rows = [(link.need, link.answer, link.evidence) for link in answer.links]
    head = (words.need, words.answer, words.evidence)
    needs = [language.captioned(words.table, words.needs_and_answers), table(head, rows)] if rows else []
    blocks = [
        *_prose(answer.summary),
        *_below(words.from_need_to_solution, needs),
        *_below(words.what_remains_open, bulleted(answer.gaps, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _budget(answer: Budget, language: Language) -> list[str]:
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.costs, _costs(answer, language) if answer.items else []),
        *_below(language.words.assumptions, bulleted(answer.assumptions, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _costs(answer: Budget, language: Language) -> list[str]:
    words = language.words
    rows = [(item.item, item.basis, _amount(item, language)) for item in answer.items]
    known = [item.amount for item in answer.items if item.amount is not None]
    if known:
        rows.append((_total_label(answer.items, language), "", language.number(sum(known), 2)))
    amount = words.amount_in.format(currency=answer.currency) if answer.currency else words.amount
    return [language.captioned(words.table, words.costs_by_item), table((words.item, words.basis, amount), rows)]


def _total_label(items: Sequence[BudgetItem], language: Language) -> str:
    complete = all(item.amount is not None for item in items)
    return language.words.total if complete else language.words.total_known


def _amount(item: BudgetItem, language: Language) -> str:
    return "" if item.amount is None else language.number(item.amount, 2)


def _parts(parts: Iterable[Part], above: Sequence[str]) -> list[str]:
    """Further sub-sections; one whose heading is there already is left out, its text is not."""
    blocks = []
    for part in parts:
        heading = f"## {clean_heading(part.heading)}"
        text = [with_sub_headings(part.text)] if part.text else []
        blocks += [*([] if heading in above else [heading]), *text]
    return blocks


def _prose(text: str) -> list[str]:
    return [without_headings(text)] if text else []


def _below(heading: str, blocks: Sequence[str]) -> list[str]:
    """Blocks below their heading, which does not stand alone: nothing is said of what there is nothing of."""
    return [f"## {heading}", *blocks] if blocks else []


def bulleted(lines: Sequence[str], language: Language) -> list[str]:
    """A list, each line of it a sentence; nothing of no lines."""
    return ["\n".join(f"- {_sentence(line, language)}" for line in lines)] if lines else []


def _sentence(line: str, language: Language) -> str:
    return language.sentence(_CELL_BREAK.sub(" ", line).lstrip("-*+#> "))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return _CELL_BREAK.sub(" ", text).replace("\\", "\\\\").replace("|", "\\|").strip()
