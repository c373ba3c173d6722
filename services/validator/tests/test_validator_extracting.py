"""The demands of a document's sources, read into its ledger."""

import asyncio
from typing import Any

import pytest
from stemma_artifacts.store import ArtifactStore, MemoryArtifactStore
from stemma_confinement import Limits, Stalled
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import ExtractRequirements, LedgerSource
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows
from stemma_contracts.v1.outcomes import ExtractionFailed, RequirementsExtracted
from stemma_contracts.v1.references import ArtifactRef
from stemma_validator.confined import SAFE_CHARACTERS
from stemma_validator.extracting import Extraction, on_extract_requirements

from .conftest import HEAD, LIMITS, Desk

pytestmark = pytest.mark.req("L1", "L2")

REQUEST = "# RFP\n\nThe contractor shall train ten users.\n\nThe contractor should be kind.\n"


async def source(
    desk: Desk, name: str, text: str, page: str = "", media_type: str = "text/markdown", **fields: Any
) -> LedgerSource:
    """A source with the label of its one page."""
    if page:
        fields["anchors"] = await desk.put(Anchors(anchors=(Anchor(offset=0, kind="page", label=page),)))
    return LedgerSource(name=name, artifact=await desk.put(text, media_type=media_type), **fields)


async def handled(
    artifacts: ArtifactStore, *sources: LedgerSource, previous: ArtifactRef | None = None, limits: Limits = LIMITS
) -> RequirementsExtracted | ExtractionFailed:
    job = ExtractRequirements(job_id="doc-1.1.extract.ledger", document=HEAD, sources=sources, previous=previous)
    return await on_extract_requirements(job, artifacts=artifacts, limits=limits)


async def read(
    desk: Desk, *sources: LedgerSource, previous: ArtifactRef | None = None
) -> tuple[RequirementsExtracted, LedgerRows]:
    outcome = await handled(desk.artifacts, *sources, previous=previous)
    assert isinstance(outcome, RequirementsExtracted)
    return outcome, await desk.stored(outcome.rows, LedgerRows)


async def test_reads_the_demands_of_all_sources_and_names_what_is_no_text(desk: Desk) -> None:
    german = "Der Auftragnehmer hat die Daten monatlich zu sichern. Die Stadt betreibt das Archiv seit vielen Jahren.\n"
    pdf = await source(desk, "plan.pdf", "%PDF", media_type="application/pdf")
    given = await source(desk, "brief", REQUEST), pdf, await source(desk, "anlage.md", german)
    outcome, ledger = await read(desk, *given)
    summary = outcome.summary
    assert (summary.mandatory, summary.others, summary.new) == (("R1", "R3"), ("R2",), 3)
    assert summary.unread == ("plan.pdf",)
    assert [(row.source, row.line) for row in ledger.rows] == [("brief", 3), ("brief", 5), ("anlage.md", 1)]


class SlowStore(MemoryArtifactStore):
    """It answers once as many ask as are expected, as one that waits for what is not there."""

    def __init__(self, askers: int) -> None:
        super().__init__()
        self._all = asyncio.Barrier(askers)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        await self._all.wait()
        return await super().get(tenant, document_id, ref)


@pytest.mark.req("S6")
async def test_waits_for_lost_sources_at_a_time(desk: Desk) -> None:
    lost = await source(desk, "brief", REQUEST)
    async with asyncio.timeout(10):
        outcome = await handled(SlowStore(2), lost, lost.model_copy(update={"name": "other.md"}))
    assert isinstance(outcome, RequirementsExtracted)
    assert outcome.summary.unread == ("brief", "other.md")


@pytest.mark.req("S6")
def test_a_short_source_with_a_long_ledger_before_it_is_no_short_work() -> None:
    row = LedgerRow(requirement_id="R1", source="a.md", line=1, quote="a " * 999, kind="work", obligation="mandatory")
    rows = tuple(row.model_copy(update={"requirement_id": f"R{number}"}) for number in range(1, 20))
    previous = LedgerRows(given=19, rows=rows)
    check = Extraction(texts={"a.md": "A."}, language="en", previous=previous, anchors={}, origins={})
    assert check.unknown > SAFE_CHARACTERS


async def test_tells_what_an_amendment_changed(desk: Desk) -> None:
    first, _ = await read(desk, await source(desk, "brief", REQUEST))
    amended = REQUEST.replace("ten users", "twelve users").replace("The contractor should be kind.\n", "")
    second, _ = await read(desk, await source(desk, "brief", amended), previous=first.rows)
    assert (second.summary.changed, second.summary.withdrawn, second.summary.new) == (("R1",), ("R2",), 0)
    told = await desk.stored(second.difference, LedgerDifference)
    assert told.changed[0].after.quote == "The contractor shall train twelve users."


@pytest.mark.req("B6")
async def test_reads_the_rules_for_the_bid_with_the_places_that_their_file_is_cited_by(desk: Desk) -> None:
    text = "# Offers\n\nOffers must be valid for 90 days and have at most 5 pages.\n"
    outcome, ledger = await read(desk, await source(desk, "rfp.pdf", text, "p. 4"))
    assert ledger.bid is not None
    assert [(rule.kind, rule.number, rule.place) for rule in ledger.bid.found] == [
        ("page_limit", 5, "p. 4"),
        ("validity", 90, "p. 4"),
    ]
    assert outcome.chapters is None


@pytest.mark.req("B6")
async def test_tells_the_chapters_that_a_request_demands_in_an_order(desk: Desk) -> None:
    text = "# Offers\n\nThe proposal must be organized in the following order:\n\n1. Letter\n2. Price\n"
    outcome, _ = await read(desk, await source(desk, "notes.md", REQUEST), await source(desk, "rfp.pdf", text))
    chapters = outcome.chapters
    assert chapters is not None
    assert (chapters.source, [one.title for one in chapters.sections]) == ("rfp.pdf", ["Letter", "Price"])


async def test_a_file_that_only_moved_to_another_page_changed_no_row(desk: Desk) -> None:
    first, _ = await read(desk, await source(desk, "rfp.pdf", REQUEST, "p. 1"))
    second, ledger = await read(desk, await source(desk, "rfp.pdf", REQUEST, "p. 9"), previous=first.rows)
    assert (second.summary.changed, second.summary.new) == ((), 0)
    assert {row.place for row in ledger.rows} == {"p. 9"}


@pytest.mark.req("L1")
async def test_a_page_without_a_demand_or_a_deadline_is_a_warning_and_no_failure(desk: Desk) -> None:
    outcome, _ = await read(desk, await source(desk, "rfp.pdf", "The harbour is old. " * 200))
    warned = [(one.code, one.source) for one in outcome.summary.warnings]
    assert warned == [("no_deadlines", "rfp.pdf"), ("no_demands", "rfp.pdf")]


async def test_a_reading_that_cannot_end_has_a_reason_and_one_that_stalled_is_tried_again(desk: Desk) -> None:
    many = await source(desk, "brief", "The contractor shall train users, and so on.\n\n" * 1_000)
    failed = await handled(desk.artifacts, many, limits=Limits(output_mb=0))
    assert isinstance(failed, ExtractionFailed)
    assert "crashed" in failed.detail
    with pytest.raises(Stalled):
        await handled(desk.artifacts, many, limits=Limits(wall_seconds=0.01))


async def test_a_deadline_says_where_it_stands_what_it_was_and_which_file_changed_it(desk: Desk) -> None:
    text = f"{REQUEST}\nThe offeror shall submit its proposal by 12 March 2027.\n"
    first, _ = await read(desk, await source(desk, "rfp.pdf", text, "p. 1", version=1))
    moved = await source(desk, "rfp.pdf", text.replace("12 March", "19 March"), "p. 1", version=2, file="rfp-2.pdf")
    deadlines = (await read(desk, moved, previous=first.rows))[1].deadlines
    assert deadlines is not None
    (one,) = deadlines.found
    assert (one.place, one.due.days, one.requirement_id) == ("p. 1", ("2027-03-19",), "R3")
    changes = [(change.before.days, change.version, change.file) for change in one.changes]
    assert changes == [(("2027-03-12",), 2, "rfp-2.pdf")]
