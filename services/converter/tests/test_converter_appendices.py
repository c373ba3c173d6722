"""The appended pages of an export: the compliance matrix, what is open, and what of the inputs is left out."""

import csv
from io import BytesIO
from typing import Any

import pypdfium2
import pytest
from docx import Document
from docx.oxml.ns import qn
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, ForeignInput, LeftOut
from stemma_contracts.v1.ledger import AnsweredRows, LedgerRow, LedgerRows, RequirementAnswer
from stemma_contracts.v1.references import ArtifactRef
from stemma_markdown import IdentifiedBlock as Block
from stemma_markdown import identify, nothing_identified

pytestmark = pytest.mark.req("L1")

FIRST = "# Approach\n\nWe train ten users.\n"
LONG = "# Records\n\n" + "We keep all records for five years.\n\n" * 60
ALIKE = "# Compliance matrix\n\nA section may be called like it.\n"


def row(name: str, quote: str, obligation: str = "mandatory") -> LedgerRow:
    about: dict[str, Any] = {"kind": "work", "obligation": obligation}
    return LedgerRow(requirement_id=name, source="rfp.md", line=7, headings=("Work",), quote=quote, **about)


ROWS = LedgerRows(
    given=4,
    rows=(
        row("R1", "The contractor shall *train* | users."),
        row("R2", "Keep records.", "should"),
        row("R3", "Answer calls.").model_copy(update={"place": "p. 12"}),
        row("R4", "No demand."),
    ),
)
ANSWERS = (
    AnsweredRows(section_id="s0", status="verified", requirement_ids=("R1",)),
    AnsweredRows(section_id="s1", status="addressed", requirement_ids=("R2",)),
    AnsweredRows(status="open", requirement_ids=("R3",)),
)


async def exported(exporter: Any, format: str, *, matrix: tuple[AnsweredRows, ...] = ANSWERS, **more: Any) -> bytes:
    job = await exporter.job(format, FIRST, LONG, ALIKE, **more)
    data: bytes = (await exporter.converted(job, ledger=await exporter.stored(ROWS), matrix=matrix))[0]
    return data


def pages_of(data: bytes) -> list[str]:
    pdf = pypdfium2.PdfDocument(data)
    return [" ".join(page.get_textpage().get_text_range().split()) for page in pdf]


async def test_the_matrix_names_words_source_status_and_page_of_each_demand_with_fields_in_word(exporter: Any) -> None:
    document = Document(BytesIO(await exported(exporter, "docx")))
    rows = [[cell.text for cell in row.cells] for row in document.tables[-1].rows]
    assert rows[0][1:] == ["Requirement", "File", "Obligation", "Answered in", "Status"]
    assert [row[:4] for row in rows[1:]] == [
        ["R1", "The contractor shall *train* | users.", "rfp.md, Work", "mandatory"],
        ["R2", "Keep records.", "rfp.md, Work", "wished"],
        ["R3", "Answer calls.", "rfp.md, p. 12", "mandatory"],
    ]
    assert [row[4].partition(",")[0] for row in rows[1:]] == ["Approach", "Records", ""]
    assert [row[5] for row in rows[1:]] == ["verified", "addressed", "open"]
    fields = list(document.element.body.iter(qn("w:fldSimple")))
    marks = {mark.get(qn("w:name")) for mark in document.element.body.iter(qn("w:bookmarkStart"))}
    told = [(field.get(qn("w:instr")).split(), next(field.iter(qn("w:t"))).text) for field in fields]
    assert len(told) == 4
    assert all(words[0] == "PAGEREF" and words[1] in marks for words, _ in told)

    pages = pages_of(await exported(exporter, "pdf"))
    at = {
        words: next(n for n, page in enumerate(pages, 1) if n > 2 and words in page)
        for words in ("ten users", "We keep all records", "R3")
    }
    matrix = next(page for page in pages if "Answer calls." in page)
    assert f"Approach, p. {at['ten users']}" in matrix
    assert f"Records, p. {at['We keep all records']}" in matrix
    answered = next(page for page in pages if "Requirements answered here: R1" in page)
    assert f"Compliance matrix, p. {at['R3']}" in answered
    assert [number for _, number in told][2:] == [str(at["ten users"]), str(at["We keep all records"])]


@pytest.mark.req("B4")
async def test_what_is_to_check_is_told_apart_from_what_is_open(exporter: Any) -> None:
    matrix = (
        AnsweredRows(section_id="s1", status="open", unsure=True, requirement_ids=("R2",)),
        AnsweredRows(status="open", requirement_ids=("R3",)),
    )
    left = {"open_requirements": ("R2", "R3"), "unsure_requirements": ("R2",)}
    job = (await exporter.job("docx", FIRST, LONG, ALIKE)).model_copy(update=left)
    data, outcome = await exporter.converted(job, ledger=await exporter.stored(ROWS), matrix=matrix)
    rows = Document(BytesIO(data)).tables[-1].rows[1:]
    listed = (await exporter.store.get("default", "doc-1", outcome.open_list)).decode()
    told = [("R2", "to check"), ("R3", "open")]
    assert [(row.cells[0].text, row.cells[-1].text) for row in rows] == told
    assert [(row[0], row[-1]) for row in csv.reader(listed.splitlines()[1:])] == told


async def test_formats_without_pages_have_links_in_the_language_of_the_document(exporter: Any) -> None:
    page, text = [(await exported(exporter, kind, language="de")).decode() for kind in ("html", "md")]
    for said in (page, text):
        assert "#approach" in said
        assert "PAGEREF" not in said
        assert "#context" not in said
    assert "Erfüllungsmatrix" in text
    assert "geprüft" in text
    assert "R1" not in (await exported(exporter, "md", matrix=())).decode()


def identified(one: Block) -> IdentifiedBlock:
    block = one.block
    return IdentifiedBlock(
        block_id=one.block_id, kind=block.kind, level=block.level, line=block.line, start=block.start, end=block.end
    )


ANSWERED = "Our way.\n\n## Training\n\nWe train *ten* users.\n\n## Records\n\n" + "We keep all records. " * 20 + "\n"


async def answered(exporter: Any, format: str, draft: str = ANSWERED, **more: Any) -> bytes:
    """An export of a section that has no heading of its own, whose blocks answer R1 and R2."""
    job = await exporter.job(format, draft, LONG)
    blocks = BlockIndex(
        scope="s", given=9, blocks=tuple(map(identified, identify(nothing_identified("s"), draft).blocks))
    )
    at = {quote: next(one.block_id for one in blocks.blocks if quote in draft[one.start : one.end]) for quote in QUOTES}
    first, second = job.sections
    given = {
        "ledger": await exporter.stored(ROWS),
        "sections": (first.model_copy(update={"blocks": await exporter.stored(blocks)}), second),
        "matrix": (AnsweredRows(section_id=first.section_id, status="addressed", requirement_ids=("R1", "R2", "R3")),),
        "answers": tuple(
            RequirementAnswer(requirement_id=name, block_id=at[quote])
            for name, quote in zip(("R1", "R2"), QUOTES, strict=True)
        ),
    }
    data: bytes = (await exporter.converted(job, **(given | more)))[0]
    return data


QUOTES = ("We train", "We keep all")


def link(words: str, identifier: str) -> str:
    return f'<a href="#{identifier}" class="with-page" data-before="p. " data-after="">{words}</a>'


async def test_the_matrix_names_heading_page_and_words_of_the_block_that_answers_a_demand(exporter: Any) -> None:
    document = Document(BytesIO(await answered(exporter, "docx")))
    cells = [row.cells[4].text for row in document.tables[-1].rows]
    assert cells[1] == "Section 0: Training, p. : We train ten users."
    assert cells[2].startswith("Section 0: Records, p. : We keep all records.")
    assert cells[2].endswith(" …")
    pages = pages_of(await answered(exporter, "pdf"))
    training = next(n for n, page in enumerate(pages, 1) if n > 2 and "We train ten users." in page)
    assert any(f"Section 0: Training, p. {training}: We train ten users." in page for page in pages)


async def test_a_block_above_the_first_heading_stands_below_that_of_its_section(exporter: Any) -> None:
    draft = "# Approach\n\nWe train ten users.\n\nWe keep all records.\n\n## More\n\nWords.\n"
    text = (await answered(exporter, "md", draft)).decode()
    assert link("Approach", "approach") + ": *We train ten users.*" in text
    assert (
        link("Section 0: Training", "training") + ": *We train ten users.*" in (await answered(exporter, "md")).decode()
    )


GONE = ArtifactRef(digest="0" * 64, size=1, media_type="application/json", name="blocks.json")


@pytest.mark.parametrize("blocks", [None, GONE])
async def test_where_the_blocks_are_not_known_the_matrix_names_sections(exporter: Any, blocks: Any) -> None:
    job = await exporter.job("md", ANSWERED)
    section = job.sections[0].model_copy(update={"blocks": blocks})
    text = (await answered(exporter, "md", sections=(section,))).decode()
    assert link("Section 0", "section-0") in text
    assert "*We train ten" not in text


async def with_open(exporter: Any, rows: LedgerRows | str) -> tuple[str, str | None]:
    """What the document says behind its text, and the list beside it."""
    job = await exporter.job("md", "# One\n\nThe end.\n")
    data, outcome = await exporter.converted(job, ledger=await exporter.stored(rows), open_requirements=("R1", "R4"))
    assert outcome.open_requirements == ("R1", "R4")
    found = outcome.open_list and await exporter.store.get("default", "doc-1", outcome.open_list)
    return data.decode().split("The end.")[1].strip(), found and found.decode("utf-8-sig")


async def test_what_is_open_is_a_list_beside_the_document_and_no_page_of_it(exporter: Any) -> None:
    formula = ROWS.rows[3].model_copy(update={"quote": "=HYPERLINK(1)", "place": "p. 3"})
    page, listed = await with_open(exporter, ROWS.model_copy(update={"rows": (*ROWS.rows[:3], formula)}))
    assert page == ""
    assert list(csv.reader((listed or "").splitlines())) == [
        ["id", "Requirement", "File", "", "Status"],
        ["R1", "The contractor shall *train* | users.", "rfp.md", "Work", "open"],
        ["R4", "'=HYPERLINK(1)", "rfp.md", "p. 3", "open"],
    ]


async def test_a_ledger_that_cannot_be_read_has_no_list_and_the_export_still_says_what_is_open(exporter: Any) -> None:
    assert await with_open(exporter, "no ledger") == ("", None)


@pytest.mark.req("T1")
async def test_of_very_much_that_is_missing_the_page_names_the_first_and_counts_the_others(exporter: Any) -> None:
    blocks = tuple(
        BlockCoverage(file="a.md", chapter=f"Chapter {n}.", line=n, standing="missing", why="absent")
        for n in range(1, 61)
    )
    states = await with_coverage(exporter, CoverageReport(blocks=blocks))
    data, _ = await exporter.export("md", "# One\n\nThe end.\n", states=states)
    page = data.decode().split("The end.")[1]
    assert [f"Chapter {n}." in page for n in (1, 25, 26, 60)] == [True, True, False, False]
    assert "+ 35" in page.replace("\\", "")


BLOCKS = (
    BlockCoverage(
        file="tender.md", chapter="Price", line=9, standing="missing", why="facts", missing_facts=("40 m", "May 2026")
    ),
    BlockCoverage(file="tender.md", chapter="Quay", line=20, standing="missing", why="absent"),
    BlockCoverage(file="de.md", chapter="Preis", line=1, standing="not_comparable", language="de"),
)
LEFT_OUT = LeftOut(file="old.md", heading="Annex", reason="The client has *it*.")


async def with_coverage(exporter: Any, report: CoverageReport) -> dict[int, dict[str, Any]]:
    count = {name: sum(b.standing == name for b in report.blocks) for name in ("missing", "not_comparable")}
    summary = CoverageSummary(
        total=9,
        covered=5,
        missing_blocks=count["missing"],
        not_comparable=count["not_comparable"],
        language=report.language,
        foreign=tuple(ForeignInput(file=b.file, language=b.language, blocks=1) for b in report.blocks if b.language),
        report=await exporter.stored(report),
    )
    return {0: {"covers_inputs": True, "coverage": summary}}


@pytest.mark.req("T1", "G13")
async def test_a_last_page_names_what_is_missing_what_was_left_out_and_what_cannot_be_compared(exporter: Any) -> None:
    states = await with_coverage(exporter, CoverageReport(blocks=BLOCKS, left_out=(LEFT_OUT,), language="en"))
    data, outcome = await exporter.export("md", "# One\n\nThe end.\n", states=states)
    text, page = data.decode().split("The end.")[0], " ".join(data.decode().split("The end.")[1].split())
    assert "tender.md" not in text
    in_order = ["## Parts of the inputs that this document", "40 m, May 2026", "Quay", "Annex", "de.md"]
    assert sorted(in_order, key=page.index) == in_order
    assert r"The client has \*it\*." in page
    [told] = outcome.not_covered
    assert (told.section_id, told.checked, told.missing_blocks, told.not_comparable) == ("s0", True, 2, 1)
    assert (told.language, told.languages) == ("en", ("de",))
    assert "in another language than this text (English)" in page
    assert [cell for cell in ("Language", "German") if cell in page.split("(English)")[1]] == ["Language", "German"]


@pytest.mark.req("T1")
async def test_a_document_that_covers_its_inputs_has_no_such_page_and_before_the_check_nobody_knows(
    exporter: Any,
) -> None:
    states = await with_coverage(exporter, CoverageReport())
    data, outcome = await exporter.export("md", "# One\n\nThe end.\n", states=states)
    assert data.decode().rstrip().endswith("The end.")
    assert outcome.not_covered == ()
    _, outcome = await exporter.export("md", "# One\n", states={0: {"covers_inputs": True}})
    assert [(told.section_id, told.checked) for told in outcome.not_covered] == [("s0", False)]
