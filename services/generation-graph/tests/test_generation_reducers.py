import pytest
from stemma_generation_graph.reducers import add_or_remove, append, merge_by_section, replace

pytestmark = pytest.mark.req("P3")


def test_replace_keeps_the_last() -> None:
    assert replace("old", "new") == "new"


def test_append_adds_to_the_end_also_of_nothing() -> None:
    assert append(append(None, [1]), [2, 3]) == [1, 2, 3]


def test_merge_keeps_the_sections_that_an_update_does_not_name() -> None:
    assert merge_by_section({"a": 1, "b": 1}, {"b": 2, "c": 2}) == {"a": 1, "b": 2, "c": 2}


def test_missing_references_are_added_once_and_can_be_removed() -> None:
    missing = add_or_remove(None, ["a.png", "b.png", "a.png"])
    assert missing == ["a.png", "b.png"]
    assert add_or_remove(missing, {"remove": ["a.png", "never.png"], "add": ["c.png"]}) == ["b.png", "c.png"]
