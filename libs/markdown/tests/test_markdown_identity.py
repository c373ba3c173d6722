"""A block keeps its id while the text around it, its place and itself change; no id is given twice."""

import random
import re
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import IdentifiedBlocks, comparing, identify, nothing_identified
from stemma_testkit.plugin import examples

WORDS = "the plan of city office opens in spring and costs more than last year because rooms are new".split()
words = st.lists(st.sampled_from(WORDS), min_size=6, max_size=14).map(" ".join)
paragraphs = st.lists(words, min_size=1, max_size=9)


def first(text: str) -> IdentifiedBlocks:
    return identify(nothing_identified("document/section"), text)


def ids(version: IdentifiedBlocks) -> list[str]:
    return [known.block_id for known in version.blocks]


def joined(blocks: list[str]) -> str:
    return "".join(f"{block}\n\n" for block in blocks)


def test_an_id_has_ten_letters_and_digits_and_is_the_same_each_time() -> None:
    version = first("# A\n\nwords\n\n- b\n")
    assert all(re.fullmatch("[0-9a-z]{10}", block_id) for block_id in ids(version))
    assert version == first("# A\n\nwords\n\n- b\n")
    assert version.text == "# A\n\nwords\n\n- b\n"
    assert not set(ids(version)) & set(ids(identify(nothing_identified("document/other"), version.text)))


@examples(200)
@given(paragraphs, st.data())
def test_ids_survive_an_edit_elsewhere(blocks: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(blocks) - 1))
    edited = [*blocks[:place], data.draw(words), *blocks[place + 1 :]]
    before = first(joined(blocks))
    after = identify(before, joined(edited))
    others = [number for number in range(len(blocks)) if number != place]
    assert [ids(after)[number] for number in others] == [ids(before)[number] for number in others]


@examples(200)
@given(paragraphs, st.data())
def test_ids_survive_a_new_block_and_one_that_goes(blocks: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(blocks)))
    longer = [*blocks[:place], "something that none of the others says", *blocks[place:]]
    before = first(joined(blocks))
    more = identify(before, joined(longer))
    assert [*ids(more)[:place], *ids(more)[place + 1 :]] == ids(before)
    assert ids(identify(more, joined(blocks))) == ids(before)


@examples(200)
@given(st.lists(words, min_size=1, max_size=9, unique=True), st.randoms(use_true_random=False))
def test_ids_go_along_with_blocks_that_move(blocks: list[str], chance: random.Random) -> None:
    order = list(range(len(blocks)))
    chance.shuffle(order)
    before = first(joined(blocks))
    after = identify(before, joined([blocks[number] for number in order]))
    assert ids(after) == [ids(before)[number] for number in order]


@examples(150)
@given(st.lists(st.lists(st.sampled_from([*WORDS, "# a", "- b", "***", "| c |\n|--|", "```"]), max_size=6), max_size=8))
def test_an_id_that_is_gone_never_comes_back(texts: list[list[str]]) -> None:
    version, gone = nothing_identified("s"), set[str]()
    for text in texts:
        following = identify(version, joined(text))
        assert len(set(ids(following))) == len(ids(following))
        assert not gone & set(ids(following))
        gone |= set(ids(version)) - set(ids(following))
        version = following


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The office opens on 1 June 2027 and costs EUR 4,250.",
            "The office opens on 3 July 2027 and costs EUR 5,100.",
        ),
        ("# Timeline", "## Time line"),
        ("会议于2027年6月1日开始。费用为四千元。", "会议于2027年7月1日开始。费用为五千元。"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 3 |\n| 4 | 5 |"),
        ("word " * 300, "word " * 200 + "other " * 100),
    ],
)
def test_an_edited_block_keeps_its_id_wherever_it_stands(old: str, new: str) -> None:
    before = first(joined(["Zebras graze quietly.", old]))
    after = identify(before, joined([new, "Zebras graze quietly."]))
    assert ids(after) == ids(before)[::-1]


def test_a_block_that_says_something_else_is_a_new_one() -> None:
    before = first(joined(["Zebras graze quietly."]))
    assert not set(ids(identify(before, joined(["Budget: 17 %"])))) & set(ids(before))


def test_the_most_similar_block_gets_the_id() -> None:
    before = first(joined(["one two three four five six", "one two three four five seven"]))
    after = identify(before, joined(["one two three four five seven eight"]))
    assert ids(after) == ids(before)[1:]


def test_a_rewritten_text_of_many_blocks_is_matched_by_few_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(side_effect=comparing._similarity_of)
    monkeypatch.setattr(comparing, "_similarity_of", counted)
    chance = random.Random(7)
    blocks = [" ".join(chance.choices(WORDS, k=12)) + f" n{number}" for number in range(2000)]
    before = first(joined(blocks))
    after = identify(before, joined([f"{block} indeed" for block in blocks]))
    assert ids(after) == ids(before)
    assert counted.call_count < 12 * len(blocks)
