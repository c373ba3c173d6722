"""The final document as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field
from stemma_languages import Language

from stemma_generation_graph.writing.drafts import as_draft, clean_heading, without_headings
from stemma_generation_graph.writing.headings import body_under_heading
from stemma_generation_graph.writing.schemas import Filled, Line, Text


class Introduction(Filled):
    """What stands before the drafts."""

    introduction: Text = Field(
        default="", description="one to three paragraphs for those who decide: what is designed, and why"
    )
    key_decisions: list[Line] = Field(default=[], max_length=10, description="decisions of the drafts, one each")


@dataclass(frozen=True)
class Draft:
    """One of the drafts that the document is made of."""

    id: str
    title: str
    text: str


def assembled(
    title: str, introduction: Introduction, drafts: Sequence[Draft], unmet_review: str, language: Language
) -> str:
    """The final document: only what the model wrote is tidied."""
    words = language.words
    opening = [without_headings(introduction.introduction)] if introduction.introduction else []
    if introduction.key_decisions:
        opening += [
            f"## {words.key_decisions}",
            "\n".join(f"- {_line(line, language)}" for line in introduction.key_decisions),
        ]
    blocks = [as_draft(title, "\n\n".join(opening)).rstrip()]
    for draft in drafts:
        blocks += [f"## {clean_heading(draft.title)}", body_under_heading(draft.text, draft.id)]
    if unmet_review:
        blocks += [f"## {words.open_review_findings}", words.unmet_review, body_under_heading(unmet_review, "review")]
    return "\n\n".join(blocks) + "\n"


def _line(text: str, language: Language) -> str:
    return language.sentence(" ".join(text.split()).lstrip("-*+#> "))
