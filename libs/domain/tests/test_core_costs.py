"""What a document cost, as its events tell it."""

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.usage import Usage
from stemma_domain.evolve import evolve
from stemma_domain.state import Document, NoDocument, State
from stemma_testkit.document_events import DIGEST, REF, document_requested, section_drafted

pytestmark = pytest.mark.req("H2")


def spent(tokens: int) -> Usage:
    return Usage(calls=1, input_tokens=tokens, cost=tokens / 100)


EDIT = e.SectionEditProposed(
    section_id="research",
    job_id="j2",
    proposal_id="p1",
    version=1,
    base_digest=DIGEST,
    draft=REF,
    summary=REF,
    provenance=Provenance(model="m"),
    usage=spent(3),
)
ACCEPTED = e.SectionEdited(
    section_id="research", version=2, draft=REF, origin=Origin.EDITED, proposal_id="p1", actor="ada"
)
FAILED = e.SectionModelUnavailable(
    section_id="solution", job_id="j3", activity=Activity.EVALUATE, status=SectionStatus.GENERATING, usage=spent(5)
)
LATE = e.OutcomeSuperseded(job_id="j4", outcome="stemma.section.generated.v1", usage=spent(7))
EVENTS = (document_requested(), section_drafted("research", REF), EDIT, ACCEPTED, FAILED, LATE)


@pytest.fixture
def document() -> Document:
    state: State = NoDocument()
    for event in EVENTS:
        state = evolve(state, event)
    assert isinstance(state, Document)
    return state


def test_what_was_spent_is_told_by_section_and_by_what_it_was_for_and_is_the_usage_of_the_document(
    document: Document,
) -> None:
    costs = document.costs
    assert {key: usage.tokens for key, usage in costs.by_work.items()} == {
        ("research", "writing"): 15,
        ("research", "editing"): 3,
        ("solution", "checking"): 5,
        ("", "writing"): 7,
    }
    of_all = [costs.of_section(name).tokens for name in ("research", "solution", "")]
    assert sum(of_all) == document.usage.tokens == 30


def test_an_edit_that_was_accepted_is_a_cost_of_the_version_that_it_became(document: Document) -> None:
    by_version = {key: usage.tokens for key, usage in document.costs.by_version.items()}
    assert by_version == {("research", 1): 15, ("research", 2): 3}
