"""Which parts of a source a text rests on."""

import pytest
from stemma_evidence import Uses
from stemma_markdown import parts

SOURCE = """# Service

Ten rural clinics need a shared record of vaccinations.

- The pilot starts on 1 May 2027 in Halden.
- Two vans are leased for 36 months.

| Item | Cost |
|---|---|
| Van | 41,300 |
| Fridge | 2,750 |
"""


def used(draft: str) -> list[str]:
    found = Uses(draft).of(SOURCE)
    return [part.text for part in parts(SOURCE) if part.fingerprint in found]


@pytest.mark.req("I4")
@pytest.mark.parametrize(
    ("draft", "rests_on"),
    [
        ("As the client says, ten rural clinics need a shared\nrecord.", [0]),
        ("We lease both vans; 36 months are agreed.", [2]),
        ("Van 41,300 is the largest cost.", [3]),
        ("A fridge costs 2,750.", [4]),
        ("Nothing of this is said here. There are 36 of them.", []),
    ],
)
def test_a_text_rests_on_what_it_quotes_and_on_the_figures_that_it_states(draft: str, rests_on: list[int]) -> None:
    told = [
        "Ten rural clinics need a shared record of vaccinations.",
        "The pilot starts on 1 May 2027 in Halden.",
        "Two vans are leased for 36 months.",
        "Van 41,300",
        "Fridge 2,750",
    ]
    assert used(draft) == [told[number] for number in rests_on]


@pytest.mark.req("S6")
def test_a_number_that_stands_everywhere_is_compared_so_often_and_then_counts_as_used() -> None:
    few, many = ("\n\n".join(f"{word} 2027" for word in words(size, "lorem")) for size in (10, 1000))
    source = "\n\n".join(f"{word} 2027" for word in words(1000, "ipsum"))
    assert Uses(few).of(source) == ()
    assert 0 < len(Uses(many).of(source)) < 1000


def words(count: int, begin: str) -> list[str]:
    letters = "abcdefghij"
    return [begin + "".join(letters[int(digit)] for digit in f"{number:04}") for number in range(count)]
