"""What reading a text costs: what says no value is not looked at again and again. Counted in calls, not in seconds."""

from __future__ import annotations

import re

import pytest
from stemma_evidence import File, Labels, ground, read, resting, units_of
from stemma_evidence.citations import citations
from stemma_evidence.scanned import Scanned
from stemma_evidence.spelling import letters, spelled
from stemma_evidence.windows import NearDigits
from stemma_markdown import Document
from stemma_testkit.counting import calls

PROSE = "The hall of the association is open to all of its members and their guests. Nobody pays at the door.\n\n"
VALUES = "The hall of the association is open to 412 of its members from 1 June 2027. Nobody pays EUR 3 there.\n\n"


@pytest.mark.req("T3")
def test_prose_without_values_takes_a_third_of_the_work() -> None:
    def work(text: str) -> int:
        return calls(lambda: read(text, "text/markdown", "en", standing="input", name="a.md"))

    work(PROSE + VALUES)
    assert work(PROSE * 50) < work(VALUES * 50) / 3


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
        return calls(lambda: resting(units, [File("a.md", Labels(text))]))

    first = work("Nobody pays at the door of it.\n", f"# Hall\n\n{VALUES * 50}")
    assert work("Nobody pays EUR 5 at that door.\n", f"# Hall\n\n{VALUES * 50}") < first / 5


def test_an_expression_is_found_near_digits_as_in_the_whole_text() -> None:
    pattern = re.compile(r"(?<!x)[a-z]{0,5}[0-9]{1,3}(?![0-9])")
    text = "no value " * 40 + "x12 ab7 " + "word " * 30 + "1" * 5 + "." + "end " * 50 + "9"
    assert [match.span() for match in NearDigits(text).matches(pattern)] == [m.span() for m in pattern.finditer(text)]


@pytest.mark.req("T3")
def test_a_numbered_part_is_found_at_its_word_as_in_the_whole_text() -> None:
    text = "See Section 3.2a and section four, §§ 5 Abs. 2, Annex B, ſection 7, paragraph 5; Kapitel IV of no section."
    longer_when_folded = "İ "
    found = [(start + 2, end + 2, said) for start, end, said in citations(Scanned(text))]
    assert len(found) >= 5
    assert [*citations(Scanned(longer_when_folded + text))] == found


@pytest.mark.req("T3")
def test_a_text_of_ascii_alone_is_spelled_like_any_other() -> None:
    signs = "".join(map(chr, range(1, 128)))
    assert spelled(signs + "é") == spelled(signs) + "é"
    assert (letters(spelled(signs + "é")), letters(spelled(signs + "。会"))) == (letters(spelled(signs)) + 1, 54)


@pytest.mark.req("T3")
@pytest.mark.parametrize("text", ["no value, and no number in words", "12 a", "a 12", "1 2 30-4.5 x6", "٣ 5 ５"])
def test_an_expression_that_begins_with_a_digit_is_found_as_in_the_whole_text(text: str) -> None:
    pattern = re.compile(r"(?<![\d.])[0-9]{1,2}(?:[ -][0-9])?(?!\w)")
    found = [match.span() for match in NearDigits(text).beginning(pattern)]
    assert found == [match.span() for match in pattern.finditer(text)]


@pytest.mark.req("T3")
def test_a_text_has_the_words_that_an_expression_finds_in_it() -> None:
    text = "Twenty-five of them, O'Neill's m² (fünf); re-use\tl'art. 5kg x_y_zwei -a- b--c ½ 2027年5月 ＡＢ"
    assert Scanned(text).words == set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text))
    assert all(map(Scanned(text).has_one_of, (["twenty"], ["x", "é", "ab"], ["neill"])))
    assert not Scanned(text).has_one_of(["third"])


@pytest.mark.req("T3")
def test_a_word_has_the_first_line_of_each_block_in_whatever_form_it_stands_there() -> None:
    text = "Halls and a\nhall here.\n\nThe hall, x\nits halls.\n"
    words = read(text, "text/markdown", "en", standing="input", name="a.md").words
    assert (words["hall"], words["halls"]) == ({0: 1, 1: 4}, {0: 1, 1: 5})
