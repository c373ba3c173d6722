"""What is chosen where a person and a machine changed the same is in the text, and nothing else is changed."""

from dataclasses import asdict

import pytest
from stemma_client.differences import settled
from stemma_client.errors import InvalidInputError
from stemma_contracts.v1.merges import MergeConflict
from stemma_markdown import renew

pytestmark = pytest.mark.req("L4")
BASE = "# Plan\n\nIt costs 5. Fine.\n\nRain falls on the roof.\n\n- a hall\n- a yard\n\nLast.\n"
OURS = "# Plan\n\nIt costs 7. Fine.\n\n- a hall\n- a yard with trees\n\nLast.\n"
THEIRS = "# Plan\n\nIt costs 6. Fine.\n\nRain falls on the whole roof.\n\n- a hall\n- a yard with a wall\n\nLast.\n"


def chosen(*choices: str) -> str:
    merged = renew(BASE, OURS, THEIRS, [(BASE, OURS)])
    return settled(merged.text, [MergeConflict(**asdict(one)) for one in merged.conflicts], choices)


def test_each_conflict_has_what_is_chosen_for_it() -> None:
    assert chosen("ours", "ours", "ours") == OURS
    assert chosen("theirs", "theirs", "theirs") == THEIRS
    assert chosen("theirs", "ours", "ours") == OURS.replace("7", "6")


def test_both_stand_apart_as_sentences_as_blocks_or_as_items() -> None:
    both = chosen("both", "both", "both")
    assert "It costs 7. It costs 6. Fine." in both
    assert "\n\nRain falls on the whole roof.\n\n- a hall\n- a yard with trees\n- a yard with a wall\n\nLast.\n" in both


@pytest.mark.parametrize("choices", [("ours",), ("ours", "mine", "ours"), ()])
def test_refuses_other_choices_and_a_number_of_them_that_does_not_fit(choices: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInputError, match="one of ours, theirs, both for each of the 3 conflicts"):
        chosen(*choices)
