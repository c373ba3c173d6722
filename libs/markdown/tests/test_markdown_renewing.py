"""A machine writes anew what people changed: what they wrote stays, what they deleted does not come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Conflict, renew
from stemma_testkit.plugin import examples

pytestmark = pytest.mark.req("L4")
SENTENCES = [
    f"The {word} opens on day {number}." for number, word in enumerate("hall attic yard roof door lift".split())
]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Sentences in any order, some of them missing, in any paragraphs and lists."""
    chosen = draw(st.lists(st.sampled_from(SENTENCES), unique=True, min_size=1))
    return "".join(draw(st.sampled_from([f"{one} ", f"{one}\n\n", f"\n- {one}\n"])) for one in chosen)


def said(text: str) -> set[str]:
    return {sentence for sentence in SENTENCES if sentence in text}


@examples(80)
@given(texts(), st.lists(st.tuples(st.booleans(), texts()), min_size=2, max_size=7))
def test_in_any_history_what_people_wrote_is_there_once_and_what_they_deleted_is_not(
    first: str, history: list[tuple[bool, str]]
) -> None:
    base = text = first
    steps, written, deleted = list[tuple[str, str]](), set[str](), set[str]()
    for is_a_persons, new in history:
        if is_a_persons:
            steps.append((text, new))
            written, deleted = (written & said(new)) | (said(new) - said(text)), (deleted | said(text)) - said(new)
            text = new
        else:
            text, base = renew(base, text, new, steps).text, new
        assert written <= said(text)
        assert not deleted & said(text)
        assert all(text.count(sentence) <= 1 for sentence in SENTENCES)


MACHINE = "# Plan\n\nThe office opens in June. It costs 5. Nobody minds.\n\n- rain falls\n- wind blows\n"
PERSON = "# Plan\n\nThe office opens in June. It costs 7. A lawyer read this.\n\n- rain falls\n"


def test_a_new_text_is_taken_but_for_what_people_changed() -> None:
    new = MACHINE.replace("opens in June", "will open in June").replace("rain falls", "rain falls hard")
    merged = renew(MACHINE, PERSON, f"{new}\nThe end is near.\n", [(MACHINE, PERSON)])
    assert merged.conflicts == ()
    first = "The office will open in June. It costs 7. A lawyer read this."
    assert merged.text == f"# Plan\n\n{first}\n\n- rain falls hard\n\nThe end is near.\n"


def test_a_sentence_that_the_machine_had_taken_over_stays_when_it_leaves_it_out() -> None:
    taken = MACHINE.replace("Nobody minds.", "A lawyer read this.")
    assert "A lawyer read this." in renew(taken, PERSON, MACHINE, [(MACHINE, PERSON)]).text


def test_a_row_that_was_deleted_long_ago_does_not_come_back_and_its_table_stays_one() -> None:
    table = "| Room | Rent |\n|---|---|\n| Hall | 12 |\n| Attic | 3 |\n"
    without = table.replace("| Attic | 3 |\n", "")
    assert renew(without, without, table, [(table, without)]).text == without
    assert renew("Words.\n", "Words.\n", f"Words.\n\n{table}", [(table, "Words.\n")]).text == "Words.\n"


@pytest.mark.parametrize(
    ("was", "anew"), [("costs 5", "costs 6"), ("Nobody minds", "Everybody minds"), ("opens in June", "opens in July")]
)
def test_what_the_machine_changes_in_either_part_of_a_paragraph_that_a_person_split_is_taken(
    was: str, anew: str
) -> None:
    halves = MACHINE.replace("It costs 5. ", "It costs 5.\n\n")
    merged = renew(MACHINE, halves, MACHINE.replace(was, anew), [(MACHINE, halves)])
    assert (merged.text, merged.conflicts) == (halves.replace(was, anew), ())


def test_what_both_changed_stays_as_the_person_has_it_with_a_conflict() -> None:
    new = MACHINE.replace("It costs 5.", "It costs 6.")
    merged = renew(MACHINE, PERSON, new, [(MACHINE, PERSON)])
    assert [(one.base, one.ours, one.theirs) for one in merged.conflicts] == [
        ("It costs 5.", "It costs 7.", "It costs 6.")
    ]
    assert merged.text == PERSON


def test_a_text_that_a_person_wrote_first_stays_whole_beside_that_of_the_machine() -> None:
    merged = renew("", "Mine.\n", "# Title\n\nAnew.\n", [("", "Mine.\n")])
    assert merged.text == "Mine.\n"
    assert merged.conflicts == (Conflict("", "Mine.", "# Title\n\nAnew.", 0, 5),)
