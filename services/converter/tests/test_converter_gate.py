"""The submission gate: the file that leaves against what the request says about the bid."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stemma_confinement import Limits
from stemma_confinement.computing import CALL
from stemma_contracts.v1.bids import BidRule, BidRules
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.grounding import ClaimSource, GroundedClaim, GroundingReport
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.outcomes import DocumentConverted
from stemma_converter import handlers
from stemma_converter.assembly import House
from stemma_converter.converter import Converter
from stemma_converter.handlers import on_convert_document
from stemma_converter.reading_call import prepare

from .conftest import Exporter, Unconfined

pytestmark = pytest.mark.req("B6")

LINE = "The harbour office keeps the records of all ships that come and go in the course of a year. "
LONG = f"# Approach\n\n{LINE * 90}"
SHORT = f"# Price list\n\n{LINE * 3}"


def rule(place: int, kind: str, **more: Any) -> BidRule:
    about = {"rule_id": f"B{place}", "kind": kind, "source": "rfp.md", "line": 1, "quote": "As is said."}
    return BidRule.model_validate(about | more)


PDF = (
    (rule(1, "page_limit", number=1), "broken", "2"),
    (rule(2, "page_limit", number=30), "kept", "4"),
    (rule(3, "page_limit", number=1, part="price list"), "kept", "1"),
    (rule(4, "page_limit", number=1, part="Technical Approach"), "broken", "2"),
    (rule(5, "page_limit", number=1, part="cover letter"), "to_see", "4 (2)"),
    (rule(6, "word_limit", number=500), "broken", "1768"),
    (rule(7, "word_limit", number=60, part="Price list"), "kept", "58"),
    (rule(8, "paper", values=("letter",)), "broken", "A4"),
    (rule(9, "paper", values=("A4", "letter")), "kept", "A4"),
    (rule(10, "font_size", number=12), "broken", "11 (9)"),
    (rule(11, "font_size", number=11), "kept", "11 (9)"),
    (rule(12, "font", values=("Arial",)), "broken", "LibertinusSerif"),
    (rule(13, "font", values=("Libertinus Serif",)), "kept", "LibertinusSerif"),
    (rule(14, "file_format", values=("docx",)), "to_see", "pdf"),
    (rule(15, "file_format", values=("docx", "pdf")), "kept", "pdf"),
    (rule(16, "language", values=("de",)), "broken", "en"),
    (rule(17, "language", values=("en",)), "kept", "en"),
    (rule(18, "file_name", values=("A-plan.pdf",)), "kept", "A-plan.pdf"),
    (rule(19, "file_name", values=("Offer.pdf",)), "to_see", "A-plan.pdf"),
    (rule(20, "page_limit", number=1, advised=True), "to_see", "2"),
    (rule(21, "copies", number=3), "to_see", ""),
    (rule(22, "criterion", number=40, part="Price"), "", ""),
    (rule(23, "page_limit", number=1, replaced_by="B2"), "", ""),
    (rule(24, "blind"), "broken", "text, author"),
    (rule(28, "page_limit", number=1, part="plan"), "broken", "2"),
    (rule(25, "order", values=("Technical approach", "Price")), "kept", "Technical approach, Price list"),
    (rule(26, "order", values=("Price list", "Technical Approach")), "broken", "Technical approach, Price list"),
    (rule(27, "order", values=("Cover letter", "Price list")), "to_see", "Cover letter"),
)
"""Rules with what the gate says and measures; nothing of one that is replaced, and of a criterion.

Where the file keeps one name or format, others may be for other files of the bid.
"""


async def gate(exporter: Exporter, format: str, *rules: BidRule, title: str = "A plan") -> list[tuple[str, str, str]]:
    """What the gate says of two sections; each rule as its id with its state, and what was measured."""
    ledger = LedgerRows(bid=BidRules(found=rules))
    states = {0: {"title": "Technical approach"}, 1: {"title": "Price list"}}
    job = await exporter.job(format, LONG, SHORT, states=states, title=title, language="en")
    _, done = await exporter.converted(job, ledger=await exporter.stored(ledger))
    return [(check.rule_id, check.state, check.measured) for check in done.rules]


async def test_a_pdf_is_held_against_pages_words_paper_fonts_format_and_language(exporter: Exporter) -> None:
    told = await gate(exporter, "pdf", *(one for one, _, _ in PDF))
    assert told == [(one.rule_id, state, measured) for one, state, measured in PDF if state]


async def test_how_long_the_text_says_that_the_bid_holds_is_held_against_the_request(exporter: Exporter) -> None:
    wanted = (rule(1, "validity", number=120, unit="days"), rule(2, "validity", values=("2027-09-30",)))
    offers = {
        "Our offer is valid for 90 days.": ("broken", "to_see"),
        "Our offer is valid for six months.": ("kept", "to_see"),
        "Our offer is valid for 4 months.": ("to_see", "to_see"),
        "We keep our proposal open until 30 September 2027.": ("to_see", "kept"),
        "This offer is binding until 31 May 2027.": ("to_see", "broken"),
        "Our offer is a good one.": ("to_see", "to_see"),
    }
    for offer, states in offers.items():
        job = await exporter.job("md", f"# Terms\n\n{offer}\n", language="en")
        ledger = await exporter.stored(LedgerRows(bid=BidRules(found=wanted)))
        _, done = await exporter.converted(job, ledger=ledger)
        assert (offer, tuple(check.state for check in done.rules)) == (offer, states)


@pytest.mark.parametrize(("company", "state"), [("Har", "kept"), ("Harbour", "broken"), ("Harbou", "broken")])
async def test_a_name_is_found_in_the_text_where_it_is_no_part_of_another_word(
    converter: Converter, company: str, state: str
) -> None:
    house = Exporter(replace(converter, house=House(company=company)))
    assert [told for _, told, _ in await gate(house, "md", rule(1, "blind"))] == [state]


async def test_a_docx_is_held_against_its_paper_and_fonts_and_a_person_sees_its_pages(exporter: Exporter) -> None:
    told = await gate(
        exporter,
        "docx",
        rule(1, "page_limit", number=30),
        rule(2, "page_limit", number=1),
        rule(3, "paper", values=("A4",)),
        rule(4, "paper", values=("letter",)),
        rule(5, "font_size", number=20),
        rule(6, "font_size", number=8),
        rule(7, "file_format", values=("pdf",)),
        rule(8, "blind"),
        rule(9, "file_name", values=("Offer.docx",)),
    )
    assert [(name, state) for name, state, _ in told] == [
        ("B1", "to_see"),
        ("B2", "broken"),
        ("B3", "kept"),
        ("B4", "broken"),
        ("B5", "broken"),
        ("B6", "kept"),
        ("B7", "broken"),
        ("B8", "broken"),
        ("B9", "broken"),
    ]


async def test_text_alone_is_held_against_words_and_a_person_sees_the_rest(converter: Converter) -> None:
    nameless = Exporter(replace(converter, house=House()))
    told = await gate(
        nameless,
        "md",
        rule(1, "page_limit", number=1),
        rule(2, "word_limit", number=9),
        rule(3, "paper", values=("A4",)),
        rule(4, "blind"),
    )
    assert [state for _, state, _ in told] == ["to_see", "broken", "to_see", "to_see"]


@pytest.mark.req("L5")
async def test_tells_where_two_sections_do_not_agree_and_which_of_them_an_input_supports(exporter: Exporter) -> None:
    job = await exporter.job("md", "# Terms\n\nThe warranty is 24 months.\n", "# Offer\n\nOur warranty is 36 months.\n")
    place = ClaimSource(standing="input", name="terms.md", line=9, heading="Warranty")
    claim = GroundedClaim(kind="quantity", text="24 months", line_number=3, standing="input", sources=(place,))
    grounding = await exporter.stored(GroundingReport(claims=(claim,)))
    terms, offer = job.sections
    grounded = (terms.model_copy(update={"grounding": grounding}), offer)
    (found,) = (await exporter.converted(job, sections=grounded))[1].contradictions
    assert (found.kind, found.about) == ("value", "warran")
    assert (found.one.section_id, found.one.line, found.one.text) == ("s0", 3, "24 months")
    assert (found.one.source, found.other.source) == ("terms.md, Warranty", "")
    assert (await exporter.converted(job, sections=(terms,)))[1].contradictions == ()


@pytest.mark.req("L5")
async def test_tells_where_a_form_says_something_else_and_what_no_text_explains(exporter: Exporter) -> None:
    offer = "# Offer\n\nWe send the SAR and the TPR. Our warranty is 36 months.\n"
    job = await exporter.job("md", offer, "# Form\n\n## Warranty\n\n24 months\n\n## Test\n\nThe CPR (core test).\n")
    text = await exporter.stored("the rules")
    place = ClaimSource(standing="input", name="rules.md", line=1)
    named = GroundedClaim(kind="name", text="TPR", line_number=3, standing="input", sources=(place,))
    grounding = await exporter.stored(GroundingReport(claims=(named,)))
    shown, form = job.sections[0].model_copy(update={"grounding": grounding}), job.sections[1]
    done = (await exporter.converted(job, sections=(shown,), forms=(form,)))[1]
    assert [(one.one.text, one.other.section_id) for one in done.contradictions] == [("36 months", "s1")]
    assert [(one.section_id, one.detail, one.count) for one in done.remarks] == [("s0", "SAR", 1)]
    gone = form.model_copy(update={"draft": text.model_copy(update={"digest": "0" * 64})})
    assert (await exporter.converted(job, sections=(shown,), forms=(gone,)))[1].contradictions == ()


@pytest.mark.req("L5")
async def test_a_range_is_supported_where_its_first_value_is(exporter: Exporter) -> None:
    desk = "# Desk\n\nThe desk is open from 8:00 to 18:00.\n"
    job = await exporter.job("md", desk, "# Offer\n\nThe desk is open from 9:00 to 20:00.\n")
    place = ClaimSource(standing="input", name="hours.md", line=2)
    claim = GroundedClaim(kind="date", text="8:00", line_number=3, standing="input", sources=(place,))
    grounding = await exporter.stored(GroundingReport(claims=(claim,)))
    grounded = (job.sections[0].model_copy(update={"grounding": grounding}), job.sections[1])
    (found,) = (await exporter.converted(job, sections=grounded))[1].contradictions
    assert (found.one.text, found.one.source) == ("8:00, 18:00", "hours.md, 2")


class Called(Unconfined):
    """Notes the names of calls."""

    def __init__(self) -> None:
        super().__init__(prepare)
        self.names = list[str]()

    async def run(self, function: Callable[[Path], None], folder: Path, limits: Limits) -> None:
        self.names.append(json.loads((folder / CALL).read_bytes())[1])
        await super().run(function, folder, limits)


@pytest.mark.req("L5")
async def test_what_is_compared_once_is_known_for_all_formats_until_a_text_or_its_report_is_another(
    converter: Converter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "MOST_KEPT", 1)
    exporter = Exporter(converter, prepared=(called := Called()))
    job, tools = (
        await exporter.job("md", "The warranty is 24 months.\n", "Our warranty is 36 months.\n"),
        exporter.tools,
    )
    grounded = job.sections[0].model_copy(update={"grounding": await exporter.stored(GroundingReport())})
    reported = job.model_copy(update={"sections": (grounded, job.sections[1])})
    jobs = (job, job.model_copy(update={"format": ExportFormat.JSON}), reported)
    done = [await on_convert_document(one, tools=tools) for one in jobs]
    told = [len(one.contradictions) for one in done if isinstance(one, DocumentConverted)]
    assert (told, called.names.count("compared"), len(tools.agreements)) == ([1, 1, 1], 2, 1)


@pytest.mark.req("L5")
async def test_the_file_is_there_when_texts_take_too_long_to_compare(confined: Exporter) -> None:
    many = "The desk opens at 9:00 on 5 May 2026 for 12 guests. " * 2000
    job = await confined.job("md", f"The warranty is 24 months. {many}\n", "Our warranty is 36 months.\n")
    short = replace(confined.tools, comparing=Limits(seconds=60, memory_mb=1))
    done = await on_convert_document(job, tools=short)
    assert isinstance(done, DocumentConverted)
    assert done.contradictions == ()
    assert [(remark.code, remark.count) for remark in done.remarks] == [("not_compared", 2)]
