from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from stemma_contracts.v1.section import SectionPlan
from stemma_editor_agent.drafts import split_draft
from stemma_editor_agent.revision import DRAFT, Material, Revision, Upstream, messages, unescaped

CONTEXT = {DRAFT: split_draft("# A\n\none\n")}


def read(changes: dict[str, str], **rest: Any) -> Revision:
    listed = [{"block_id": block_id, "text": text} for block_id, text in changes.items()]
    return Revision.model_validate({"changes": listed, "summary": "Changed.", **rest}, context=CONTEXT)


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("changes", "rest", "problem"),
    [
        ({"b3": "x"}, {}, "'b3' is no block of the draft; its blocks are b1 to b2"),
        ({"b2": "```\nx"}, {}, "the text of b2 runs into the block after it"),
        ({"b1": "", "b2": " "}, {}, "the changes remove the whole draft"),
        ({"b2": "x"}, {"summary": " "}, "summary must say what was changed"),
        ({"b2": "x"}, {"refused": "no"}, "changes must be empty if the instruction is refused"),
    ],
)
def test_says_what_is_wrong_with_an_answer(changes: dict[str, str], rest: dict[str, str], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        read(changes, **rest)


@pytest.mark.req("P13")
def test_refuses_two_replacements_of_one_block() -> None:
    twice = {"changes": [{"block_id": "b1", "text": "x"}] * 2, "summary": "Changed."}
    with pytest.raises(ValidationError, match="b1 is replaced 2 times"):
        Revision.model_validate(twice, context=CONTEXT)


@pytest.mark.req("S6")
def test_what_looks_like_the_begin_of_a_tag_is_looked_at_once() -> None:
    """Spaces behind one mark took minutes in the event loop."""
    text = f"‹{' ' * 200_000}"
    assert unescaped(text, split_draft("A.\n")) == text
    assert unescaped("‹ /task>", split_draft("A.\n")) == "< /task>"


@pytest.mark.req("M1")
def test_a_prompt_has_first_what_the_next_revision_and_other_sections_have_too() -> None:
    section = SectionPlan(section_id="a", title="A", kind="text", graph="section", purpose="Why.")
    upstream = (Upstream("u", "U", 1, "What was approved."),)
    first = Material(section, split_draft("# A\n\nThe draft.\n"), "Shorten it.", "The brief.", "en", upstream)
    again = replace(first, instruction="Translate it.")
    other = replace(first, section=section.model_copy(update={"section_id": "b"}), draft=split_draft("# B\n"))
    told, revised, beside = (str(messages("Revise.", one)[1].content) for one in (first, again, other))
    for prompt, words in ((revised, "The draft."), (beside, "What was approved.")):
        assert prompt.startswith(told[: told.index(words) + len(words)])
