"""Proposed edits as a reader sees them."""

from __future__ import annotations

from typing import Any

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.views import DocumentView, ProposalView
from stemma_testkit.document_events import REF, SUMMARY, job

pytestmark = pytest.mark.req("P9")

EDITING = job(7, "revise", "research")
ASKED = e.SectionEditRequested(
    section_id="research", version=1, instruction=REF, actor="ana", result="proposed", proposal_id="p7"
)
PROPOSED = e.SectionEditProposed(
    section_id="research",
    job_id=EDITING,
    proposal_id="p7",
    version=1,
    base_digest="a" * 64,
    draft=REF,
    summary=SUMMARY,
    provenance=Provenance(model="offline"),
)
ACCEPTED = e.SectionEdited(
    section_id="research", version=2, draft=REF, origin=Origin.EDITED, actor="ben", summary=SUMMARY, proposal_id="p7"
)
REJECTED = e.SectionEditRejected(section_id="research", proposal_id="p7", version=1)
VOIDED = e.SectionEditVoided(section_id="research", proposal_id="p7", version=1, current_version=2)
REFUSED = e.SectionRevisionRefused(section_id="research", job_id=EDITING, version=1, reason=REF, proposal_id="p7")
FAILED = e.SectionJobDead(
    section_id="research",
    job_id=EDITING,
    activity=Activity.EDIT,
    status=SectionStatus.APPROVED,
    proposal_id="p7",
)


@pytest.fixture
def settled(drafted: Any) -> list[Any]:
    return [
        drafted("research"),
        e.SectionApproved(section_id="research", version=1),
        drafted("solution"),
        e.SectionApproved(section_id="solution", version=1),
        e.DocumentCompleted(),
    ]


def proposal(view: DocumentView) -> ProposalView | None:
    return view.sections["research"].proposal


def test_an_instruction_leaves_status_and_version_and_its_proposal_waits_for_a_person(after: Any, settled: Any) -> None:
    asked = after(*settled, ASKED)
    assert (asked.sections["research"].status, asked.status) == (SectionStatus.APPROVED, DocumentStatus.COMPLETED)
    assert asked.checking
    assert not asked.waiting
    made = after(*settled, ASKED, PROPOSED)
    found = proposal(made)
    assert found is not None
    assert (found.draft, found.summary, found.asked_by, found.model) == (REF, SUMMARY, "ana", "offline")
    assert [section.section_id for section in made.waiting] == ["research"]
    assert made.sections["research"].version == 1
    assert not made.checking


def test_an_accepted_proposal_is_the_text(after: Any, settled: Any) -> None:
    view = after(*settled, ASKED, PROPOSED, ACCEPTED)
    section = view.sections["research"]
    assert (section.version, section.draft, section.status) == (2, REF, SectionStatus.EDITED)
    assert section.current is not None
    assert (section.current.made_by, section.current.summary) == ("ben", SUMMARY)
    assert proposal(view) is None


@pytest.mark.parametrize("end", [REJECTED, VOIDED, REFUSED, FAILED])
def test_a_proposal_that_ended_is_gone_and_the_status_is_as_it_was(after: Any, settled: Any, end: Any) -> None:
    view = after(*settled, ASKED, end)
    assert proposal(view) is None
    assert view.sections["research"].status is SectionStatus.APPROVED
    assert (view.sections["research"].refusal is not None) == (end is REFUSED)
