"""What looking claims up costs, counted in calls: twice the text is about twice the work."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stemma_evidence import ground, read
from stemma_testkit.counting import calls

pytestmark = pytest.mark.req("T3")

LENGTH = 60
_WORDS = ("roof", "cellar", "garden", "bridge", "ferry", "market", "school", "harbour", "tower", "mill")


def paragraphs(number: int) -> str:
    """Different amounts, dates, names, quotations and citations."""
    return "\n\n".join(
        f"The {_WORDS[n % 10]} {n} costs EUR {1000 + 37 * n} until {n % 28 + 1} May {2000 + n % 50}, says Ada Berg{n}:"
        f' "nobody has ever seen number {n} in here". See section {n}.2 of file-{n}.pdf.'
        for n in range(number)
    )


def alike(number: int) -> str:
    """The same amount and the same words all over."""
    return "The roof costs EUR 1,000 and the cellar EUR 2,000 in May 2027.\n\n" * number


def one_paragraph(number: int) -> str:
    """Amounts in one sentence without an end."""
    return "It costs " + ", ".join(f"EUR {1000 + 37 * n} for the {_WORDS[n % 10]}" for n in range(number))


def table(number: int) -> str:
    """Rows of a table."""
    rows = "".join(f"| {_WORDS[n % 10]} {n} | {1000 + 37 * n} | {n} |\n" for n in range(number))
    return f"| Item | Cost (EUR) | Pieces |\n|---|---|---|\n{rows}"


@pytest.mark.parametrize("text", [paragraphs, alike, one_paragraph, table])
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_looking_up_twice_as_many_claims_in_twice_as_much_is_about_twice_the_work(
    text: Callable[[int], str], unknown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are made so small that both lengths are past them; below, the work is that of all pairs."""
    monkeypatch.setattr("stemma_evidence.grounding._MOST_TRIES", 500)
    monkeypatch.setattr("stemma_evidence.exchanges._MOST_PLACES", 4)
    monkeypatch.setattr("stemma_evidence.exchanges._MOST_ALIKE", 4)

    def looked_up(length: int) -> int:
        said = text(length).replace("EUR", "USD") if unknown else text(length)
        draft = read(said, "text/markdown", "en", standing="draft", name="")
        source = read(text(length), "text/markdown", "en", standing="input", name="facts.md")
        return calls(lambda: ground(draft, [source]))

    looked_up(2 * LENGTH)  # What is compiled and kept for one length is so for both.
    assert looked_up(2 * LENGTH) < 2.5 * looked_up(LENGTH)
