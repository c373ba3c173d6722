"""Hostile Markdown in the services that read it in their own process: four times the text is four times the work.

What is read in a process with limits of its own is tried with it: by the converter and the validator.
"""

from collections.abc import Callable

import pytest
from stemma_editor_agent.demands import demand_of, unmet
from stemma_editor_agent.drafts import split_draft
from stemma_editor_agent.reporting import changes_between
from stemma_generation_graph.graphs.document_agent.images import without_labels
from stemma_generation_graph.graphs.document_agent.session import outline_of
from stemma_generation_graph.passages import Corpus, read_source
from stemma_generation_graph.writing import as_draft, with_sub_headings
from stemma_languages import detect, foreign
from stemma_markdown import without_html, without_templates
from stemma_offline_writer.agent import composed
from stemma_offline_writer.reading import read
from stemma_testkit.counting import UNITS, calls, text_of

pytestmark = pytest.mark.req("S6")
HARD = ("brackets", "tables")
INSTRUCTIONS = ("Delete the heading A.", "Replace a with b.", "Make it shorter.")


def edit(text: str) -> None:
    """What the editor agent reads of a draft and of what became of it."""
    split_draft(text)
    new = "New.\n\n" + text
    changes = changes_between(text, new, "en")
    for instruction in INSTRUCTIONS:
        unmet(demand_of(instruction, "en"), text, new, changes, "en")


def gather(text: str) -> None:
    """What generation-graph reads of inputs and drafts."""
    Corpus([read_source("a.md", text)], ("a.md",)).search("word")
    outline_of({"a.md": without_templates(text)})
    without_labels("a.md", text)
    with_sub_headings(as_draft("Title", text))


def write(text: str) -> None:
    """What the offline writer reads of an input, and how it writes it again."""
    read("input", "a.md", text, "en")
    composed(text.splitlines(), 1)
    without_html(text)


def hear(text: str) -> None:
    """What the orchestrator reads of a brief."""
    detect(text)
    foreign(text)


READERS = (edit, gather, write, hear)


def is_linear(reader: Callable[[str], None], unit: str, size: int) -> bool:
    few, many = text_of(unit, size), text_of(unit, 4 * size)
    reader(text_of("word ", 4 * size))  # what is read and compiled once
    return calls(lambda: reader(many)) < 5.5 * calls(lambda: reader(few)) + 2000


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_to_read_takes_four_times_the_work_for_four_times_the_text(
    reader: Callable[[str], None], name: str
) -> None:
    assert is_linear(reader, UNITS[name], 500)


@pytest.mark.full
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_whatever_a_text_holds_four_times_of_it_is_four_times_the_work(
    reader: Callable[[str], None], unit: str
) -> None:
    assert is_linear(reader, unit, 5_000)
