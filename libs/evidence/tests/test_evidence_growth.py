"""What reading texts costs, counted: twice the text is about twice the work, whatever it holds."""

from collections.abc import Callable

import pytest
from evidence_corpus import source
from stemma_contracts.v1.inputs import Anchor
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows
from stemma_evidence import (
    File,
    InputText,
    Labels,
    Uses,
    ceilings_of,
    claims,
    coverage,
    doubts,
    ground,
    named,
    read,
    sums_of,
    unexplained,
    units_of,
)
from stemma_evidence.requirements import (
    Source,
    demanded_chapters,
    find_outline,
    read_ledger,
    read_rules,
    requirements,
    warnings_of,
)
from stemma_evidence.sources.fingerprints import Fingerprints
from stemma_evidence.sources.statements import statements
from stemma_evidence.sources.tables import HtmlTables
from stemma_markdown import Document
from stemma_testkit.counting import calls, characters

pytestmark = pytest.mark.req("T1", "T3", "T9", "S6", "L1", "L2", "B6", "B7", "B8", "I3", "I4")

Work = Callable[[], object]
Reader = Callable[[str], Work]


@pytest.fixture(autouse=True)
def bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that all lengths are past them; below, the work is that of all pairs."""
    monkeypatch.setattr("stemma_evidence.lookup.grounding._MOST_TRIES", 500)
    monkeypatch.setattr("stemma_evidence.lookup.swapped._MOST_PLACES", 4)
    monkeypatch.setattr("stemma_evidence.lookup.swapped._MOST_ALIKE", 4)


def _looking_up(currency: str) -> Reader:
    def prepared(text: str) -> Work:
        draft = read(text.replace("EUR", currency), "text/markdown", "en", standing="draft", name="")
        facts = source(text)
        return lambda: ground(draft, [facts])

    return prepared


def _sharing(text: str) -> Work:
    draft = read(text, "text/markdown", "en", standing="draft", name="")
    facts = source(text.replace(" percent", " guests"))
    return lambda: ground(draft, [facts])


def _spelling(text: str) -> Work:
    document = Document(text)
    found = claims(document.text, "en", document=document)
    parts = statements(document, HtmlTables(document), "en", [claim.start for claim in found])
    fingerprints = Fingerprints(document, parts, found, "en")
    return lambda: (fingerprints.of_text(), fingerprints.of_claims())


def _doubting(language: str) -> Callable[[str], Work]:
    def prepared(said: str) -> Work:
        draft = read(said, "text/markdown", language, standing="draft", name="")
        known = source(said.replace("fence", "wall"), language)
        return lambda: doubts(draft, [known])

    return prepared


def _chapters(text: str) -> Work:
    request = Source("rfp.md", text, "en")
    rules = read_rules([request])
    return lambda: (demanded_chapters([request], rules), find_outline([text]))


def _read_again(text: str) -> Work:
    before = read_ledger([Source("rfp.md", text, "en")], LedgerRows())
    return lambda: read_ledger([Source("rfp.md", text.replace("shall", "must"), "en")], before)


def _amending(text: str) -> Work:
    numbers = range(text.count("deleted"))
    rows = tuple(
        LedgerRow(
            requirement_id=f"R{n}", quote=f"3.{n} Dig.", source="base.md", line=1, kind="work", obligation="mandatory"
        )
        for n in numbers
    )
    sources = [Source("base.md", "# A\n", "en"), Source("a.md", text, "en")]
    return lambda: warnings_of(sources, LedgerRows(rows=rows))


def _naming(text: str) -> Work:
    pages = [Anchor(offset=0, kind="page", label="p. 1")]
    document, files = Document(text), [File("rfq.pdf", Labels("# A\n\nB\n", anchors=pages))]
    return lambda: list(named(document, units_of(document, "en"), files))


def _covering(text: str) -> Work:
    return lambda: coverage([InputText("a.md", text.replace("pump", "hose"))], text, ())


PARAGRAPH = (
    "The roof {n} costs EUR {n}00 until {28} May 20{47}, says Ada Berg{n}:"
    ' "nobody has ever seen number {n} in here". See section {n}.2 of file-{n}.pdf.\n\n'
)
ALIKE = "The roof costs EUR 1,000 and the cellar EUR 2,000 in May 2027.\n\n"
SENTENCE = "It costs EUR {n}00 for the roof {7}, "
ROW = "| roof {7} | {n}00 EUR | {n} |\n"
CELL = "| Roof | ‖The roof {7} costs EUR {n}00. ‖ | by May |\n"
CELLS = "|‖ EUR {n}00 | the roof {7} |‖\n|---|---|\n"
HEADING = "# ‖roof {n} ‖\n\n‖It costs EUR {n}00 in all.\n\n‖"
READ = (PARAGRAPH, SENTENCE, ROW, CELL, CELLS, HEADING, "{n} kg {n} km ")
READERS: dict[str, tuple[int, Reader, tuple[str, ...]]] = {
    "reading": (2000, lambda text: lambda: read(text, "text/markdown", "en", standing="draft", name=""), READ),
    "spelling": (2000, _spelling, READ),
    "looking up": (1500, _looking_up("EUR"), (ALIKE, SENTENCE, ROW)),
    "looking up what nobody says": (1500, _looking_up("USD"), (PARAGRAPH, ROW)),
    "looking up shares": (12000, _sharing, ("Some {n}1.3 percent of the visitors asked for a garden. ",)),
    "claims": (1000, lambda text: lambda: claims(text, "en"), (
        "1,", "1 ", "1 234 ", "“", '"a ', "A ", "A-", "[1", "<a", "<!--", "&am", "$", "1", "-", "June ", "a.b/", "§ 1 ",
        "千", "1万", "年月", "一", "www.a", "a@b.", "two ", " ", "\n", "](", "20 June to ", "A of ", "「", "1st ",
        "2027-",
    )),
    "claims in Japanese": (1000, lambda text: lambda: claims(text, "ja"), ("千", "年月", "「", "1万")),
    "coverage": (2500, _covering, (
        "## s{7}\n\nwater {n} pump {313}\n\n", "- word{50} thing{49} other{47}\n", "| the pump | 3 |\n", "# a\n",
    )),
    "abbreviations": (2000, lambda text: lambda: list(unexplained([source(text)])), ("The SAR was sent, ", "SAR\n")),
    "doubts": (2500, _doubting("en"), (
        "The fence costs EUR {n} a year and not before {n} June all {n} paid. ",
        "not all no one of the two thirds of 412th, ", "a. ", "EUR 5; ", "red fence, ",
    )),
    "doubts in Japanese": (1500, _doubting("ja"), (
        "柵の費用は{n}円で、すべての家は6月{n}日までに払わなければならない。",
    )),
    "sums": (2000, lambda text: lambda: (sums_of(text, "en"), list(ceilings_of(text, "en"))), (
        "| A | EUR 1 |\n| --- | --- |\n| Total | EUR 5 |\n", "| B | EUR 0 |\n| Total | EUR 1 |\n",
        "\n\nThe total is EUR 5.", "at most EUR 5 in all\n\n", "<table><tr><td>",
    )),
    "demands": (2000, lambda text: lambda: list(requirements(text, "en")), (
        "The contractor shall and may not ", "- a) the contractor shall:\n", "  - x:\n", "> shall: ",
        "Administrative Office of the ", "if the offeror must, ", "| must | shall |\n|---|---|\n",
        "# shall include the following:\n\n",
    )),
    "rules": (6000, lambda text: lambda: read_rules([Source("a.md", f"# Proposal format\n\n{text}\n", "en")]), (
        "proposal 5 pages max. ", "in English proposals 12 point ", "Price 10 %.\n\n- " * 30 + ".",
    )),
    "chapters": (2000, _chapters, (
        "Proposals shall be in the following order {n}:\n\n- A{n}\n\n",
        "- Proposals shall be in the following order {n}:\n", "# Proposal format\n## a\n## b\n",
    )),
    "a ledger": (3000, _read_again, ("The contractor shall do it.\n\n", "The contractor shall do {n} things.\n\n")),
    "amendments": (2500, _amending, ("Section 3.{n} is deleted.\n\n",)),
    "named places": (5500, _naming, ("rfq.pdf, p. 1 ",)),
    "used parts": (5000, lambda text: lambda: Uses("Paragraph 77 says something of its own 539.").of(text), (
        "Paragraph {n} says something of its own {47}.\n\n",
    )),
}  # fmt: skip
"""How long a text is, what reads it, and of what; ``{n}`` counts, ``{7}`` up to seven."""


def repeated(piece: str, length: int) -> str:
    """A piece again and again; of one with bars what stands between each two of them."""
    if "‖" not in piece:
        piece = f"‖{piece}‖"
    return "".join(_long(part, length) if at % 2 else part for at, part in enumerate(piece.split("‖")))


def _long(piece: str, length: int) -> str:
    parts, size = list[str](), 0
    while size < length:
        parts.append(_counted(piece, len(parts)))
        size += len(parts[-1])
    return "".join(parts)


def _counted(piece: str, number: int) -> str:
    for bound in (7, 28, 47, 49, 50, 313):
        piece = piece.replace(f"{{{bound}}}", str(number % bound))
    return piece.replace("{n}", str(number))


@pytest.mark.parametrize(("name", "piece"), [(name, one) for name, (*_, pieces) in READERS.items() for one in pieces])
def test_twice_as_much_hostile_text_is_about_twice_the_work(name: str, piece: str) -> None:
    length, reader, _ = READERS[name]
    counted = characters if name == "spelling" else calls
    work = [reader(repeated(piece, size)) for size in (2 * length, 2 * length, length)]
    work[0]()  # What is compiled and kept for one length is so for all.
    assert counted(work[1]) < 2.5 * counted(work[2]) + 100
