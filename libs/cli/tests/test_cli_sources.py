"""Where the claims of a section stand, as the command line tells it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1.grounding import (
    CitedPlace,
    CitedText,
    ClaimSource,
    DoubtedStatement,
    GroundedClaim,
    GroundingReport,
)
from stemma_contracts.v1.validation import ValidationSummary

pytestmark = pytest.mark.req("T3")

REPORT = GroundingReport(
    claims=(
        GroundedClaim(
            kind="amount",
            text="EUR 51,000",
            line_number=3,
            standing="computed",
            how="EUR 4,250 × 12",
            sources=(ClaimSource(standing="input", name="facts.md", heading="Rent", line=5, text="EUR 4,250"),),
        ),
        GroundedClaim(
            kind="date",
            text="1 June 2027",
            line_number=4,
            standing="person",
            sources=(ClaimSource(standing="person", line=1),),
        ),
        GroundedClaim(kind="name", text="Acme\x1b[31m", line_number=5, standing="unsupported"),
    ),
    statements=(
        DoubtedStatement(
            text="All halls are let.",
            line_number=6,
            why="quantifier",
            soft=True,
            source=ClaimSource(standing="input", name="facts.md", line=7, text="Some halls are let."),
        ),
        DoubtedStatement(text="We guarantee it.", line_number=7, why="promise"),
    ),
    unread=("huge.csv",),
)

CITED = CitedText(
    start=12,
    end=26,
    line_number=3,
    text="The hall is let.",
    places=(CitedPlace(input_id="input-1", name="rfq.pdf", kind="page", label="p. 3", line=9),),
)


@pytest.fixture
async def section(backstage: Any, document_id: str, requested: Any, drafted: Any) -> Any:
    """Research with a draft; calling it adds a validation with a report."""
    draft = await backstage.text(document_id, "# Research\n\nIt is let now. More.\n")
    await backstage.append(document_id, requested, drafted("research", draft))

    async def looked_up(cited: bool = False) -> None:
        body = REPORT.model_copy(update={"draft": draft.digest, "cited": (CITED,)}) if cited else REPORT
        report = await backstage.text(document_id, body.model_dump_json())
        found = ValidationSummary(
            passed=False, issue_count=1, engine="rumdl", engine_version="1", grounding=report, unsupported={"name": 1}
        )
        waits = events.SectionReviewRequested(section_id="research", job_id="j2", version=1, validation=found)
        await backstage.append(document_id, waits)

    return looked_up


async def test_tells_for_each_claim_its_standing_and_the_place_that_says_it(
    cli: Callable[..., Any], section: Any, document_id: str
) -> None:
    await section()
    shown = await cli("show", document_id, "research", "--sources")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "3\tEUR 51,000\tcomputed\tEUR 4,250 × 12: facts.md, Rent, line 5",
        "4\t1 June 2027\ta person's\twords of a person, line 1",
        "5\tAcme\tUNSUPPORTED\t",
        "6\tAll halls are let.\tother words\tquantifier\tfacts.md, line 7",
        "7\tWe guarantee it.\tUNSUPPORTED\tpromise\t",
    ]
    assert "huge.csv" in shown.stderr
    told = json.loads((await cli("show", document_id, "research", "--sources", "--json")).stdout)
    assert (told["version"], [claim["standing"] for claim in told["claims"]]) == (
        1,
        ["computed", "person", "unsupported"],
    )
    uncited = await cli("show", document_id, "research", "--citations")
    assert (uncited.exit_code, "wait for its validation" in uncited.stderr) == (1, True)


async def test_says_what_to_do_when_nothing_was_looked_up_yet(
    cli: Callable[..., Any], section: Any, document_id: str
) -> None:
    shown = await cli("show", document_id, "research", "--sources")
    assert shown.exit_code == 1
    assert "wait for its validation" in shown.stderr
    assert "--sources goes with a section" in (await cli("show", document_id, "--sources")).stderr


@pytest.mark.req("I3")
async def test_tells_the_page_that_a_sentence_rests_on_and_prints_it_as_a_footnote_if_asked(
    cli: Callable[..., Any], section: Any, document_id: str
) -> None:
    await section(cited=True)
    sources = (await cli("show", document_id, "research", "--sources")).stdout
    assert "3\tThe hall is let.\trfq.pdf, p. 3" in sources
    cited = await cli("show", document_id, "research", "--citations")
    assert cited.stdout == "# Research\n\nIt is let now.[^source-1] More.\n\n[^source-1]: rfq.pdf, p. 3\n"
    plain = await cli("show", document_id, "research")
    assert "rfq" not in plain.stdout
