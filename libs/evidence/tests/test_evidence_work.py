"""What reading a text costs: what says no value is not looked at again and again. Counted in calls, not in seconds."""

from __future__ import annotations

import pytest
from stemma_evidence import File, Labels, ground, read, supporting_places, units_of
from stemma_markdown import Document
from stemma_testkit.counting import calls

VALUES = "The hall of the association is open to 412 of its members from 1 June 2027. Nobody pays EUR 3 there.\n\n"


@pytest.mark.req("T3")
def test_what_sources_say_is_looked_through_once_for_all_drafts_that_rest_on_them() -> None:
    def work(draft: str, sources: str) -> int:
        said = read(draft, "text/markdown", "en", standing="draft", name="")
        return calls(lambda: ground(said, known[sources]))

    texts = {name: f"{name}\n\n{VALUES * 50}" for name in ("old", "new")}
    known = {name: [read(text, "text/markdown", "en", standing="input", name="a.md")] for name, text in texts.items()}
    work("They are 412, and 17 others came.\n", "old")
    first = work("They are 412, and 19 others came.\n", "new")
    assert work("They are 412, and 18 others came.\n", "old") < first / 2


@pytest.mark.req("T3")
def test_the_words_of_an_input_are_read_once_for_all_drafts() -> None:
    def work(draft: str, text: str) -> int:
        units = units_of(Document(draft), "en")
        return calls(lambda: supporting_places(units, [File("a.md", Labels(text))]))

    first = work("Nobody pays at the door of it.\n", f"# Hall\n\n{VALUES * 50}")
    assert work("Nobody pays EUR 5 at that door.\n", f"# Hall\n\n{VALUES * 50}") < first / 5


@pytest.mark.req("T3")
def test_a_word_has_the_first_line_of_each_block_in_whatever_form_it_stands_there() -> None:
    text = "Halls and a\nhall here.\n\nThe hall, x\nits halls.\n"
    words = read(text, "text/markdown", "en", standing="input", name="a.md").words
    assert (words["hall"], words["halls"]) == ({0: 1, 1: 4}, {0: 1, 1: 5})
