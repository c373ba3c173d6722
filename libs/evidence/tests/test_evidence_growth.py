"""What reading a text and looking its claims up costs, counted: twice the text is about twice the work."""

from collections.abc import Callable

import pytest
from stemma_evidence import claims, ground, read
from stemma_evidence.sources.fingerprints import Fingerprints
from stemma_evidence.sources.statements import statements
from stemma_evidence.sources.tables import HtmlTables
from stemma_markdown import Document
from stemma_testkit.counting import calls, characters

pytestmark = pytest.mark.req("T3")

LENGTH = 20
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


@pytest.mark.parametrize(
    ("text", "unknown"), [(paragraphs, True), (alike, False), (one_paragraph, False), (table, False), (table, True)]
)
def test_looking_up_twice_as_many_claims_in_twice_as_much_is_about_twice_the_work(
    text: Callable[[int], str], unknown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are made so small that both lengths are past them; below, the work is that of all pairs."""
    monkeypatch.setattr("stemma_evidence.lookup.grounding._MOST_TRIES", 500)
    monkeypatch.setattr("stemma_evidence.lookup.swapped._MOST_PLACES", 4)
    monkeypatch.setattr("stemma_evidence.lookup.swapped._MOST_ALIKE", 4)

    def looked_up(length: int) -> int:
        said = text(length).replace("EUR", "USD") if unknown else text(length)
        draft = read(said, "text/markdown", "en", standing="draft", name="")
        source = read(text(length), "text/markdown", "en", standing="input", name="facts.md")
        return calls(lambda: ground(draft, [source]))

    looked_up(2 * LENGTH)  # What is compiled and kept for one length is so for both.
    assert looked_up(2 * LENGTH) < 2.5 * looked_up(LENGTH)


def one_cell(number: int) -> str:
    """Sentences with amounts in one cell."""
    said = " ".join(f"The {_WORDS[n % 10]} {n} costs EUR {1000 + 37 * n}." for n in range(number))
    return f"| Roof | {said} | by May |\n|---|---|---|\n| Cellar | {said} | by June |\n"


def one_row(number: int) -> str:
    """Cells with amounts and cells with words in one row."""
    cells = "".join(f" EUR {1000 + 37 * n} | the {_WORDS[n % 10]} {n} |" for n in range(number))
    return f"|{cells}\n|{'---|' * 2 * number}\n|{cells}\n"


def below_a_heading(number: int) -> str:
    """Amounts below a heading that has as many words."""
    heading = " ".join(f"{_WORDS[n % 10]} {n}" for n in range(number))
    return f"# {heading}\n\n" + "\n\n".join(f"It costs EUR {1000 + 37 * n} in all." for n in range(number))


def only_numbers(number: int) -> str:
    """Quantities of several units without words between them."""
    return " ".join(f"{n + 2} kg {n + 2} km" for n in range(number))


READ = [paragraphs, one_paragraph, table, one_cell, one_row, below_a_heading, only_numbers]


@pytest.mark.parametrize("text", READ)
def test_reading_twice_as_much_is_about_twice_the_work(text: Callable[[int], str]) -> None:
    def work(length: int) -> int:
        return calls(lambda: read(text(length), "text/markdown", "en", standing="draft", name=""))

    work(4 * LENGTH)  # What is kept of the words of one length is so for all shorter ones.
    assert work(4 * LENGTH) < 2.3 * work(2 * LENGTH)


@pytest.mark.parametrize("text", READ)
def test_what_a_text_says_whole_is_spelled_in_steps_that_grow_with_its_size(text: Callable[[int], str]) -> None:
    def work(length: int) -> int:
        document = Document(text(length))
        found = claims(document.text, "en", document=document)
        parts = statements(document, HtmlTables(document), "en", [claim.start for claim in found])
        fingerprints = Fingerprints(document, parts, found, "en")
        return characters(lambda: (fingerprints.of_text(), fingerprints.of_claims()))

    assert work(4 * LENGTH) < 2.3 * work(2 * LENGTH)
