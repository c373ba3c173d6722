import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_editor_agent.drafts import split_draft
from stemma_editor_agent.revision import is_self_contained
from stemma_testkit.plugin import examples

# fmt: off
SNIPPETS = [
    "# Title", "Setext\n===", "A paragraph\nof two lines", "text  ", "- one\n- two\n\n  more", "1. first\n\n2. second",
    "> quote\nlazy", "```python\n# no heading\n\ntext\n```", "~~~\nnot closed", "    indented\n\n    code", "---",
    "| a | b |\n|---|---|\n| 1 | 2 |", "[label]: https://example.org 'title'", "[^1]: note\n\n    more of it",
    "<div>\nhtml\n</div>", "<!-- comment\n\nstill -->", "<script>\n\nx", "![x](y.png)", "\\# no heading", "\tcode",
    "[a]: <b>\ntext after a definition", "\ufefftext", "é\u2028ü\x0b\x0c\x85 \x00",
]
# fmt: on
GAPS = ["\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\r\r", "\n \t\n", "", "  \n"]

drafts = st.one_of(
    st.lists(st.tuples(st.sampled_from(SNIPPETS), st.sampled_from(GAPS)), max_size=8).map(
        lambda pairs: "".join(snippet + gap for snippet, gap in pairs)
    ),
    st.text(alphabet="#->`*|[]^:! \t\n\rab1.=\ufeff", max_size=80),
    st.text(max_size=60),
)


@given(drafts)
def test_blocks_have_text_blank_gaps_and_concatenate_to_exactly_the_draft(text: str) -> None:
    draft = split_draft(text)
    assert draft.text == text
    assert all(block.text.strip(" \t\r\n") and not block.tail.strip(" \t\r\n") for block in draft.blocks)
    assert [block.block_id for block in draft.blocks] == [f"b{n + 1}" for n in range(len(draft.blocks))]


@given(drafts, st.data())
@examples(200)
def test_a_change_leaves_every_other_block_as_it_is(text: str, data: st.DataObject) -> None:
    draft = split_draft(text)
    chosen = data.draw(st.sets(st.sampled_from(draft.blocks), max_size=3)) if draft.blocks else set()
    changes = draft.changes({block.block_id: f"NEW{block.block_id}" for block in chosen})
    revised = draft.replaced(changes)
    kept = [block.text if block.block_id not in changes else f"NEW{block.block_id}" for block in draft.blocks]
    assert re.fullmatch(r"[ \t\r\n]*".join(map(re.escape, [draft.head, *kept, ""])), revised)
    for block, following in zip(draft.blocks, draft.blocks[1:], strict=False):
        if not {block.block_id, following.block_id} & changes.keys():
            assert block.text + block.tail + following.text in revised


def test_keeps_a_changed_block_apart_from_its_neighbours() -> None:
    draft = split_draft("before\n# A\nafter\n")
    assert draft.replaced({"b2": "new"}) == "before\n\nnew\n\nafter\n"


def test_removing_the_last_block_leaves_no_blank_line() -> None:
    draft = split_draft("# A\n\none\n\ntwo\n")
    assert draft.replaced({"b3": "", "b2": "last"}) == "# A\n\nlast\n"


def test_a_text_that_the_draft_has_already_is_no_change() -> None:
    draft = split_draft("# A\n\none  \n\ntwo\n")
    assert draft.changes({"b1": "\n# A\n", "b2": "one", "b3": "three", "b9": "x"}) == {"b3": "three"}


@pytest.mark.parametrize("text", ["text", "```\ncode\n```", "- list", "> quote", "<div>\nhtml", "# A\n\n[a]: b"])
def test_a_whole_text_is_self_contained(text: str) -> None:
    assert is_self_contained(text)


@pytest.mark.parametrize("text", ["```\ncode", "~~~", "text\n\n````\n```", "<!-- comment", "<script>", "<pre>\n\n"])
def test_a_text_that_swallows_what_follows_is_not_self_contained(text: str) -> None:
    assert not is_self_contained(text)
