"""What a model fills in for the structured section kinds."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from stemma_generation_graph.writing.schemas import LARGEST, Filled, Line, Prose, Text


class Told(Filled):
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


class Research(Told):
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


class Solution(Told):
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


class Connections(Told):
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


class Budget(Told):
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
