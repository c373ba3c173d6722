"""The demands of a document's sources, read into its ledger."""

import asyncio
from datetime import UTC, datetime

import pytest
from stemma_artifacts.store import ArtifactStore, MemoryArtifactStore
from stemma_confinement import Limits, Stalled
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import ExtractRequirements, LedgerSource
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows
from stemma_contracts.v1.outcomes import ExtractionFailed, RequirementsExtracted
from stemma_contracts.v1.references import ArtifactRef
from stemma_validator.confined import SAFE_CHARACTERS
from stemma_validator.extracting import Extraction, on_extract_requirements

from .conftest import DOCUMENT, LIMITS, TENANT

pytestmark = pytest.mark.req("L1", "L2")

REQUEST = "# RFP\n\nThe contractor shall train ten users.\n\nThe contractor should be kind.\n"
HEAD = DocumentHead(document_id=DOCUMENT, tenant=TENANT, kind="proposal", created_at=datetime(2026, 1, 1, tzinfo=UTC))


class Desk:
    """The handler with its store."""

    def __init__(self, artifacts: ArtifactStore) -> None:
        self.artifacts = artifacts

    async def source(self, name: str, text: str, media_type: str = "text/markdown") -> LedgerSource:
        ref = await self.artifacts.put(TENANT, DOCUMENT, text.encode(), media_type=media_type, name=name)
        return LedgerSource(name=name, artifact=ref)

    async def read(
        self, *sources: LedgerSource, previous: ArtifactRef | None = None, limits: Limits = LIMITS
    ) -> RequirementsExtracted | ExtractionFailed:
        job = ExtractRequirements(job_id="doc-1.1.extract.ledger", document=HEAD, sources=sources, previous=previous)
        return await on_extract_requirements(job, artifacts=self.artifacts, limits=limits)

    async def rows(self, outcome: RequirementsExtracted) -> LedgerRows:
        return LedgerRows.model_validate_json(await self.artifacts.get(TENANT, DOCUMENT, outcome.rows))


@pytest.fixture
def desk(artifacts: ArtifactStore) -> Desk:
    return Desk(artifacts)


async def test_reads_the_demands_of_all_sources_and_tells_which_must_be_answered(desk: Desk) -> None:
    german = "Der Auftragnehmer hat die Daten monatlich zu sichern. Die Stadt betreibt das Archiv seit vielen Jahren.\n"
    read = await desk.read(await desk.source("brief", REQUEST), await desk.source("anlage.md", german))
    assert isinstance(read, RequirementsExtracted)
    assert (read.summary.mandatory, read.summary.others, read.summary.new) == (("R1", "R3"), ("R2",), 3)
    rows = (await desk.rows(read)).rows
    assert [(row.source, row.line) for row in rows] == [("brief", 3), ("brief", 5), ("anlage.md", 1)]


class SlowStore(MemoryArtifactStore):
    """It answers once as many ask as are expected, as one that waits for what is not there."""

    def __init__(self, askers: int) -> None:
        super().__init__()
        self._all = asyncio.Barrier(askers)

    async def get(self, tenant: str, document_id: str, ref: ArtifactRef) -> bytes:
        await self._all.wait()
        return await super().get(tenant, document_id, ref)


@pytest.mark.req("S6")
async def test_waits_for_lost_sources_at_a_time() -> None:
    desk, lost = Desk(SlowStore(2)), await Desk(MemoryArtifactStore()).source("brief", REQUEST)
    async with asyncio.timeout(10):
        read = await desk.read(lost, lost.model_copy(update={"name": "other.md"}))
    assert isinstance(read, RequirementsExtracted)
    assert read.summary.unread == ("brief", "other.md")


@pytest.mark.req("S6")
def test_a_short_source_with_a_long_ledger_before_it_is_no_short_work() -> None:
    row = LedgerRow(requirement_id="R1", source="a.md", line=1, quote="a " * 999, kind="work", obligation="mandatory")
    rows = tuple(row.model_copy(update={"requirement_id": f"R{number}"}) for number in range(1, 20))
    previous = LedgerRows(given=19, rows=rows)
    check = Extraction(texts={"a.md": "A."}, language="en", previous=previous, anchors={}, origins={})
    assert check.unknown > SAFE_CHARACTERS


async def test_tells_what_an_amendment_changed(desk: Desk) -> None:
    first = await desk.read(await desk.source("brief", REQUEST))
    assert isinstance(first, RequirementsExtracted)
    amended = REQUEST.replace("ten users", "twelve users").replace("The contractor should be kind.\n", "")
    second = await desk.read(await desk.source("brief", amended), previous=first.rows)
    assert isinstance(second, RequirementsExtracted)
    assert (second.summary.changed, second.summary.withdrawn, second.summary.new) == (("R1",), ("R2",), 0)
    told = LedgerDifference.model_validate_json(await desk.artifacts.get(TENANT, DOCUMENT, second.difference))
    assert told.changed[0].after.quote == "The contractor shall train twelve users."


@pytest.mark.req("B6")
async def test_reads_the_rules_for_the_bid_with_the_places_that_their_file_is_cited_by(desk: Desk) -> None:
    body = Anchors(anchors=(Anchor(offset=0, kind="page", label="p. 4"),)).model_dump_json().encode()
    anchors = await desk.artifacts.put(TENANT, DOCUMENT, body, media_type="application/json", name="anchors.json")
    source = await desk.source("rfp.pdf", "# Offers\n\nOffers must be valid for 90 days and have at most 5 pages.\n")
    read = await desk.read(source.model_copy(update={"anchors": anchors}))
    assert isinstance(read, RequirementsExtracted)
    bid = (await desk.rows(read)).bid
    assert bid is not None
    assert [(rule.kind, rule.number, rule.place) for rule in bid.found] == [
        ("page_limit", 5, "p. 4"),
        ("validity", 90, "p. 4"),
    ]
    assert read.chapters is None


@pytest.mark.req("B6")
async def test_tells_the_chapters_that_a_request_demands_in_an_order(desk: Desk) -> None:
    text = "# Offers\n\nThe proposal must be organized in the following order:\n\n1. Letter\n2. Price\n"
    read = await desk.read(await desk.source("notes.md", REQUEST), await desk.source("rfp.pdf", text))
    assert isinstance(read, RequirementsExtracted)
    assert read.chapters is not None
    assert (read.chapters.source, [one.title for one in read.chapters.sections]) == ("rfp.pdf", ["Letter", "Price"])


async def test_a_file_that_only_moved_to_another_page_changed_no_row(desk: Desk) -> None:
    refs = []
    for label in ("p. 1", "p. 9"):
        body = Anchors(anchors=(Anchor(offset=0, kind="page", label=label),)).model_dump_json().encode()
        refs.append(await desk.artifacts.put(TENANT, DOCUMENT, body, media_type="application/json", name="a.json"))
    source = await desk.source("rfp.pdf", REQUEST)
    first = await desk.read(source.model_copy(update={"anchors": refs[0]}))
    assert isinstance(first, RequirementsExtracted)
    second = await desk.read(source.model_copy(update={"anchors": refs[1]}), previous=first.rows)
    assert isinstance(second, RequirementsExtracted)
    assert (second.summary.changed, second.summary.new) == ((), 0)
    assert {row.place for row in (await desk.rows(second)).rows} == {"p. 9"}


async def test_names_a_source_that_is_no_text_and_reads_the_others(desk: Desk) -> None:
    pdf = await desk.source("plan.pdf", "%PDF", "application/pdf")
    read = await desk.read(await desk.source("brief", REQUEST), pdf)
    assert isinstance(read, RequirementsExtracted)
    assert read.summary.unread == ("plan.pdf",)
    assert len((await desk.rows(read)).rows) == 2


@pytest.mark.req("L1")
async def test_a_page_without_a_demand_or_a_deadline_is_a_warning_and_no_failure(desk: Desk) -> None:
    read = await desk.read(await desk.source("rfp.pdf", "The harbour is old. " * 200))
    assert isinstance(read, RequirementsExtracted)
    warned = [(one.code, one.source) for one in read.summary.warnings]
    assert warned == [("no_deadlines", "rfp.pdf"), ("no_demands", "rfp.pdf")]


async def test_a_reading_that_cannot_end_has_a_reason_and_one_that_stalled_is_tried_again(
    desk: Desk,
) -> None:
    many = "The contractor shall train users, and so on.\n\n" * 1_000
    read = await desk.read(await desk.source("brief", many), limits=Limits(output_mb=0))
    assert isinstance(read, ExtractionFailed)
    assert "crashed" in read.detail
    with pytest.raises(Stalled):
        await desk.read(await desk.source("brief", many), limits=Limits(wall_seconds=0.01))


async def test_a_deadline_says_where_it_stands_what_it_was_and_which_file_changed_it(desk: Desk) -> None:
    text = f"{REQUEST}\nThe offeror shall submit its proposal by 12 March 2027.\n"
    body = Anchors(anchors=(Anchor(offset=0, kind="page", label="p. 1"),)).model_dump_json().encode()
    anchors = await desk.artifacts.put(TENANT, DOCUMENT, body, media_type="application/json", name="anchors.json")
    first = await desk.read((await desk.source("rfp.pdf", text)).model_copy(update={"anchors": anchors, "version": 1}))
    assert isinstance(first, RequirementsExtracted)
    moved = await desk.source("rfp.pdf", text.replace("12 March", "19 March"))
    given = {"anchors": anchors, "version": 2, "file": "rfp-2.pdf"}
    second = await desk.read(moved.model_copy(update=given), previous=first.rows)
    assert isinstance(second, RequirementsExtracted)
    deadlines = (await desk.rows(second)).deadlines
    assert deadlines is not None
    (one,) = deadlines.found
    assert (one.place, one.due.days, one.requirement_id) == ("p. 1", ("2027-03-19",), "R3")
    assert [(change.before.days, change.version, change.file) for change in one.changes] == [
        (("2027-03-12",), 2, "rfp-2.pdf")
    ]
