"""What no export shows, places in our files, stays behind the sentences that people left in a file."""

import pytest
from stemma_converter.unshown import in_parts, joined, shown_of, with_places
from stemma_ooxml.word import fingerprint

pytestmark = pytest.mark.req("W2", "W3")
PLACE, OTHER = " (company.md, Staff)", " (site notes.md, 3 Scope > 3.2)"
LEFT = "The courier is ill (a few days). It costs 5 euros. It is small (see b.md). The end."
PROSE = LEFT.replace("5 euros", f"5 euros{PLACE}").replace("The end", f"The end{OTHER}")
SHOWN = shown_of(PROSE, {fingerprint(LEFT)})


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("5", "6", ()),
        ("The end.", "The end. And more.", ()),
        ("The courier", "Today the courier", ()),
        ("costs 5 euros", "is free", (PLACE,)),
        ("It costs 5 euros. ", "", (PLACE,)),
        ("It costs 5 euros.", "What it costs is not known.", (PLACE,)),
        (LEFT, "All is new.", (PLACE, OTHER)),
    ],
)
def test_places_stay_where_their_sentences_do(old: str, new: str, gone: tuple[str, ...]) -> None:
    said = with_places(SHOWN, LEFT.replace(old, new))
    assert [place for place in (PLACE, OTHER) if place not in said] == [*gone]
    assert said.replace(PLACE, "").replace(OTHER, "") == LEFT.replace(old, new)


def test_places_go_with_the_part_of_a_paragraph_that_their_sentence_went_to() -> None:
    cut = LEFT.index("It is small")
    parts = in_parts(SHOWN, [LEFT[:cut].strip(), LEFT[cut:]])
    assert parts == (PROSE[: PROSE.index(" It is small")], PROSE[PROSE.index("It is small") :])
    assert in_parts(SHOWN, [LEFT[:cut], "other words"]) is None


def test_a_paragraph_that_left_as_it_is_written_or_that_nobody_knows_has_no_places() -> None:
    assert shown_of(PROSE, {fingerprint(PROSE)}).places == ()
    assert shown_of(PROSE, {"000000"}).text == PROSE
    assert shown_of(PROSE, (), LEFT.replace("5", "6")) == SHOWN, "a file without marks has none of them"
    assert shown_of(PROSE, (), PROSE).places == ()
    both = joined([SHOWN, SHOWN])
    assert both.text == f"{LEFT} {LEFT}"
    assert [both.text[:offset].endswith(("euros", "end")) for offset, _ in both.places] == [True] * 4
