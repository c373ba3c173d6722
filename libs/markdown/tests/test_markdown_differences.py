"""What changed between two texts, told as blocks, sentences and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Block, BlockDifference, differences, split
from stemma_testkit.plugin import examples

OLD = """\
# Plan

The office opens on 1 June 2027. It **costs** EUR 4,250. Nobody minds.

## Risks

- rain
- wind

```
a = 1
b = 2
```

The end is near, said somebody.
"""


def first_line(block: Block | None) -> str | None:
    return block.content.split("\n")[0] if block else None


def changes(found: tuple[BlockDifference, ...]) -> list[tuple[str, str | None, str | None]]:
    return [(one.change, first_line(one.old), first_line(one.new)) for one in found]


def test_equal_texts_differ_in_nothing_and_blank_lines_do_not_count() -> None:
    assert differences(OLD, OLD) == ()
    assert differences(OLD, OLD.replace("\n\n", "\n\n\n")) == ()


def test_tells_the_words_that_changed_with_their_places() -> None:
    new = OLD.replace("**costs** EUR 4,250", "**costs** EUR 5,100").replace("b = 2", "b = 3")
    paragraph, code = differences(OLD, new)
    (sentence,) = paragraph.sentences
    assert sentence.old is not None
    assert (sentence.change, sentence.old.text) == ("changed", "It **costs** EUR 4,250. ")
    assert [(w.old and w.old.text, w.new and w.new.text) for w in sentence.words] == [("4,250", "5,100")]
    assert all(w.old and OLD[w.old.start : w.old.end] == w.old.text for w in sentence.words)
    assert all(w.new and new[w.new.start : w.new.end] == w.new.text for w in sentence.words)
    assert [s.old and s.old.text for s in code.sentences] == ["b = 2\n"]


def test_tells_a_heading_that_went_and_sentences_that_came_and_went() -> None:
    new = OLD.replace("## Risks\n\n", "").replace("Nobody minds.", "A quite different statement follows here.")
    paragraph, heading = differences(OLD, new)
    assert changes((heading,)) == [("removed", "## Risks", None)]
    assert [one.change for one in paragraph.sentences] == ["removed", "added"]


def test_a_moved_block_is_no_change_of_the_others() -> None:
    blocks = [block.text for block in split(OLD)]
    moved = "".join([blocks[-1] + "\n", *blocks[:-1]])
    assert changes(differences(OLD, moved)) == [
        ("moved", "The end is near, said somebody.", "The end is near, said somebody.")
    ]


def test_a_block_that_came_stands_where_it_is_and_one_that_went_where_it_was() -> None:
    new = OLD.replace("## Risks", "A wholly new paragraph, that is here now.").replace("- rain\n- wind\n\n", "")
    assert changes(differences(OLD, new)) == [
        ("added", None, "A wholly new paragraph, that is here now."),
        ("removed", "## Risks", None),
        ("removed", "- rain", None),
    ]


def test_a_change_of_markup_alone_is_told() -> None:
    (paragraph,) = differences(OLD, OLD.replace("**costs**", "costs"))
    assert "".join(w.old.text for s in paragraph.sentences for w in s.words if w.old) == "****"


@examples(200)
@given(st.lists(st.sampled_from("the cost is 5 . EUR **b** \n | - # ` [l](u)".split(" ")), max_size=30), st.data())
def test_no_change_is_lost(words: list[str], data: st.DataObject) -> None:
    old, new = " ".join(words), " ".join(data.draw(st.permutations(words)))
    found = differences(old, new)
    same = [block.content for block in split(old)] == [block.content for block in split(new)]
    assert (not found) == same
    for one in found:
        if one.change == "changed":
            assert one.sentences


@pytest.mark.req("S6")
def test_a_long_line_that_differs_in_too_many_places_counts_as_changed_whole() -> None:
    old, new = (" ".join(f"w{step * number % 89}" for number in range(30_000)) for step in (5, 7))
    (paragraph,) = differences(f"{old} end", f"{new} end")
    (sentence,) = paragraph.sentences
    (words,) = sentence.words
    assert words.old is not None
    assert words.new is not None
    assert old.endswith(words.old.text)
    assert new.endswith(words.new.text)


@pytest.mark.req("S6")
def test_words_that_a_long_line_has_once_tell_where_it_differs() -> None:
    words = [f"w{number}" for number in range(20_000)]
    new = [f"x{number}" if number % 8_000 == 9 else word for number, word in enumerate(words)]
    (paragraph,) = differences(" ".join(words), " ".join(new))
    (sentence,) = paragraph.sentences
    assert [word.new and word.new.text for word in sentence.words] == ["x9", "x8009", "x16009"]
