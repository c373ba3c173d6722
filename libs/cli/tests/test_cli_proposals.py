"""Proposed edits, and several sections at once, on the command line."""

import asyncio
import json
from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason, UpstreamVersion
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport, ValidationSummary
from stemma_testkit.document_events import job, plan

pytestmark = pytest.mark.req("P9")
BEFORE, AFTER = "It lends bicycles to readers.\n", "It lends trailers to readers.\n"


def proposal_of(before: ArtifactRef, after: ArtifactRef, summary: ArtifactRef, **told: Any) -> Any:
    """The editor proposes another text of research."""
    return events.SectionEditProposed(
        section_id="research",
        job_id="j4",
        proposal_id="p4",
        version=1,
        base_digest=before.digest,
        draft=after,
        summary=summary,
        provenance=Provenance(model="offline"),
        **told,
    )


@pytest.fixture
async def proposed(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    """Research is approved, and an edit of it waits."""
    before, after, summary = [
        await backstage.text(document_id, text) for text in (BEFORE, AFTER, "Replaced bicycles by trailers.")
    ]
    asked = events.SectionEditRequested(
        section_id="research", version=1, instruction=summary, actor="ana", result="proposed", proposal_id="p4"
    )
    proposal = proposal_of(before, after, summary)
    approved = events.SectionApproved(section_id="research", version=1)
    await backstage.append(document_id, requested, drafted("research", before), approved, asked, proposal)
    return document_id


@pytest.mark.parametrize("verb", ["accept-edit", "reject-edit"])
async def test_a_script_names_the_proposal_that_was_read(cli: Any, backstage: Any, proposed: str, verb: str) -> None:
    refused = await cli(verb, proposed, "research")
    assert refused.exit_code == 2
    assert f"stemma {verb} {proposed[:8]} research --proposal p4" in refused.stderr
    assert backstage.received == []


async def test_where_an_instruction_was_refused_a_decision_and_watch_tell_why(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    reason = await backstage.text(document_id, "The text has no heading called Rent.")
    asked = events.SectionEditRequested(
        section_id="research", version=1, instruction=reason, actor="ana", result="proposed", proposal_id="p4"
    )
    editing = job(7, "revise", "research")
    refusal = events.SectionRevisionRefused(
        section_id="research", job_id=editing, version=1, reason=reason, proposal_id="p4"
    )
    approved = [events.SectionApproved(section_id=name, version=1) for name in ("research", "solution")]
    written = (drafted("research"), approved[0], drafted("solution"), approved[1], events.DocumentCompleted())
    await backstage.append(document_id, requested, *written, asked, refusal)
    done = await cli("accept-edit", document_id, "research")
    assert done.exit_code == 1
    assert "no edit of research is proposed" in done.stderr
    assert "the editor refused the last instruction: The text has no heading called Rent." in done.stderr
    watched = (await cli("watch", document_id)).stderr
    assert "the editor refused research: The text has no heading called Rent." in watched
    assert "completed: take it out with" in watched


async def test_accept_all_takes_those_that_it_prints(cli: Any, backstage: Any, proposed: str) -> None:
    done = await cli("accept-edit", proposed, "--all")
    assert "edit p4 of research version 1: Replaced bicycles by trailers." in done.stderr
    assert [r.proposal_id for _, r in backstage.received] == ["p4"]


async def test_show_inbox_and_watch_tell_a_proposal(cli: Any, backstage: Any, proposed: str) -> None:
    await backstage.list_research(proposed, status=SectionStatus.APPROVED, proposal_id="p4")
    section = await cli("show", proposed, "research")
    assert section.stdout == BEFORE
    assert "Replaced bicycles by trailers." in section.stderr
    assert "{+trailers+}" in section.stderr
    told = json.loads((await cli("show", proposed, "research", "--json")).stdout)
    assert told["proposal"]["proposal_id"] == "p4"
    assert told["proposal_summary"] == "Replaced bicycles by trailers."
    assert told["proposal_changes"][0]["new_line"] == 1
    assert "edit proposed" in (await cli("show", proposed)).stdout
    [entry] = [e for e in json.loads((await cli("inbox", "--json")).stdout) if e["document_id"] == proposed]
    assert (entry["section"]["proposal"]["proposal_id"], entry["section"]["section_id"]) == ("p4", "research")
    assert "edit p4 of version 1 proposed for ana (claimed): accept or reject" in entry["waits_for"]


@pytest.fixture
async def stale(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    """Research is stale because the costs changed, and so is solution, which rests on research."""
    reason = StaleReason(upstream_section_id="costs", accepted_version=1, current_version=2)
    marks = tuple(StaleMark(section_id=name, reasons=(reason,)) for name in ("research", "solution"))
    plans = (plan("costs"), plan("research", "costs"), plan("solution", "research"))
    text = await backstage.text(document_id, AFTER)
    changed = events.SectionEdited(section_id="costs", version=2, draft=text, origin=Origin.WRITTEN, makes_stale=marks)
    await backstage.append(
        document_id,
        requested.model_copy(update={"sections": plans, "starts": ("costs",)}),
        drafted("costs"),
        events.SectionApproved(section_id="costs", version=1),
        drafted("research").model_copy(update={"upstream": (UpstreamVersion(section_id="costs", version=1),)}),
        events.SectionApproved(section_id="research", version=1),
        drafted("solution"),
        events.SectionApproved(section_id="solution", version=1),
        changed,
    )
    return document_id


@pytest.mark.req("P10")
async def test_all_that_is_stale_is_kept_or_regenerated_by_one_request_in_the_versions_that_are_printed(
    cli: Any, backstage: Any, stale: str
) -> None:
    refused = await cli("keep", stale, "research", "solution")
    assert (refused.exit_code, f"`stemma keep {stale[:8]} research=1 solution=1`" in refused.stderr) == (2, True)
    for more in ((), ("research", "--all"), ("research", "solution", "--version", "1")):
        assert (await cli("keep", stale, *more)).exit_code == 2
    assert backstage.received == []
    for option in ("--all", "--stale"):
        assert "solution version 1: Solution" in (await cli("keep", stale, option)).stderr
    done = await cli("regenerate", stale, "--stale", "-m", "Name the sources.")
    assert done.exit_code == 0
    assert "solution version 1: Solution" in done.stderr
    assert done.stdout == "regenerating research version 1, solution version 1\n"
    *kept, request = [request for _, request in backstage.received]
    assert [type(each) for each in kept] == [requests.KeepSections] * 2
    assert isinstance(request, requests.RegenerateSections)
    assert (request.guidance, len(request.sections)) == ("Name the sources.", 2)


async def test_at_a_terminal_each_of_several_texts_is_shown_first(
    on_a_terminal: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    one, two = [await backstage.text(document_id, text) for text in (BEFORE, "It costs little.\n")]
    reason = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
    marks = tuple(StaleMark(section_id=name, reasons=(reason,)) for name in ("research", "solution"))
    approved = events.SectionApproved(section_id="solution", version=1, makes_stale=marks)
    written = (drafted("research", one), events.SectionApproved(section_id="research", version=1))
    await backstage.append(document_id, requested, *written, drafted("solution", two), approved)

    seen, exit_code = await on_a_terminal("keep", document_id, "research", "solution", typed="y\n")

    assert exit_code == 0
    assert seen.index(BEFORE.strip()) < seen.index("It costs little.") < seen.index("Keep these? [y/N]")


FOUND = "line 1 unsupported amount: EUR 9,000 is in no source"


@pytest.fixture
async def checked(backstage: Any, proposed: str) -> str:
    """The proposed text has an amount that nothing supports."""
    issue = ValidationIssue(
        line_number=1, rule="grounding/amount", rule_description="Grounding", message="EUR 9,000 is in no source"
    )
    report = ValidationReport(validation_passed=False, issues=(issue,), engine="rumdl", engine_version="1")
    validation = ValidationSummary(
        passed=False,
        issue_count=1,
        rules={"grounding/amount": 1},
        engine="rumdl",
        engine_version="1",
        report=await backstage.text(proposed, report.model_dump_json()),
    )
    await backstage.append(proposed, checked_edit(validation))
    return proposed


def checked_edit(validation: ValidationSummary | None, detail: str = "") -> events.SectionEditChecked:
    return events.SectionEditChecked(
        section_id="research", job_id="j5", proposal_id="p4", version=1, validation=validation, detail=detail
    )


@pytest.mark.req("T7")
@pytest.mark.parametrize(("verb", "typed", "sent"), [("accept-edit", "y", ["p4"]), ("reject-edit", "n", [])])
async def test_at_a_terminal_the_difference_and_what_was_found_are_shown_first(
    on_a_terminal: Any, backstage: Any, checked: str, verb: str, typed: str, sent: list[str]
) -> None:
    seen, _ = await on_a_terminal(verb, checked, "research", typed=f"{typed}\n")
    shown = ("Replaced bicycles by trailers.", "[-bicycles-]", "{+trailers+}", f"edit p4: {FOUND}", "p4? [y/N]")
    assert sorted(shown, key=seen.index) == list(shown)
    assert [r.proposal_id for _, r in backstage.received] == sent


@pytest.mark.req("T7")
async def test_show_and_watch_tell_what_was_found_of_a_proposed_text(cli: Any, checked: str) -> None:
    section, document, watched = [
        await cli(*arguments) for arguments in (("show", checked, "research"), ("show", checked), ("watch", checked))
    ]
    assert f"edit p4: {FOUND}" in section.stderr
    assert f"research: proposed edit: {FOUND}" in document.stdout
    assert f"research: edit p4: {FOUND}" in watched.stderr
    assert "edit checked (edit p4, version 1, no lint issues, 1 unsupported (amount 1))" in watched.stdout
    told = json.loads((await cli("show", checked, "research", "--json")).stdout)
    assert FOUND in told["proposal_findings"]


@pytest.mark.req("T7")
async def test_watch_waits_for_the_check_of_a_proposed_text(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    draft = await backstage.text(document_id, AFTER)
    proposal = proposal_of(draft, draft, draft, to_be_checked=True)
    approved = events.SectionApproved(section_id="research", version=1)
    await backstage.append(document_id, requested, drafted("research", draft), approved, proposal)
    assert "edit p4: is being checked" in (await cli("show", document_id, "research")).stderr
    watching = asyncio.create_task(cli("watch", document_id))
    await backstage.append(document_id, checked_edit(None, "exhausted"))
    assert "edit p4: could not be checked: exhausted" in (await watching).stderr
