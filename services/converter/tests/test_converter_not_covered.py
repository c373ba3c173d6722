"""The page of an export that names what of the inputs the document does not hold."""

from __future__ import annotations

from typing import Any

import pytest
from stemma_contracts.v1.coverage import BlockCoverage, CoverageReport, CoverageSummary, ForeignInput, LeftOut

BLOCKS = (
    BlockCoverage(
        file="tender.md", chapter="Price", line=9, standing="missing", why="facts", missing_facts=("40 m", "May 2026")
    ),
    BlockCoverage(file="tender.md", chapter="Quay", line=20, standing="missing", why="absent"),
    BlockCoverage(file="de.md", chapter="Preis", line=1, standing="not_comparable", language="de"),
)
LEFT_OUT = LeftOut(file="old.md", heading="Annex", reason="The client has *it*.")


async def with_coverage(exporter: Any, report: CoverageReport) -> dict[int, dict[str, Any]]:
    ref = await exporter.store.put(
        "default", "doc-1", report.model_dump_json().encode(), media_type="application/json", name="coverage.json"
    )
    count = {name: sum(b.standing == name for b in report.blocks) for name in ("missing", "not_comparable")}
    summary = CoverageSummary(
        total=9,
        covered=5,
        missing_blocks=count["missing"],
        not_comparable=count["not_comparable"],
        language=report.language,
        foreign=tuple(ForeignInput(file=b.file, language=b.language, blocks=1) for b in report.blocks if b.language),
        report=ref,
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


@pytest.mark.req("T2", "T5")
async def test_the_page_names_both_languages_in_that_of_the_document(exporter: Any) -> None:
    blocks = (BlockCoverage(file="en.md", chapter="Price", line=1, standing="not_comparable", language="en"),)
    states = await with_coverage(exporter, CoverageReport(blocks=blocks, language="de"))
    data, _ = await exporter.export("md", "# Eins\n\nDas Ende.\n", states=states, language="de")
    page = " ".join(data.decode().split("Das Ende.")[1].split())
    assert "in einer anderen Sprache als dieser Text (Deutsch)" in page
    assert "Englisch" in page.split("(Deutsch)")[1]


@pytest.mark.req("T1")
async def test_a_document_that_covers_its_inputs_has_no_such_page(exporter: Any) -> None:
    states = await with_coverage(exporter, CoverageReport())
    data, outcome = await exporter.export("md", "# One\n\nThe end.\n", states=states)
    assert data.decode().rstrip().endswith("The end.")
    assert outcome.not_covered == ()


@pytest.mark.req("T1")
async def test_an_export_before_the_check_tells_that_nobody_knows_yet(exporter: Any) -> None:
    _, outcome = await exporter.export("md", "# One\n", states={0: {"covers_inputs": True}})
    assert [(told.section_id, told.checked) for told in outcome.not_covered] == [("s0", False)]
