"""Every refusal has a problem code, whatever stands in it."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from stemma_contracts import problems
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.problems import problem_of

pytestmark = pytest.mark.req("R8")
ABOUT: Any = {"request_id": "r-1", "request_digest": "a" * 64, "actor": "ada"}
CHOICES = [
    *(e.RefusedByStatus(**ABOUT, request="any", status=one) for one in SectionStatus),
    *(e.RefusedByDocumentStatus(**ABOUT, request="any", document_status=one) for one in DocumentStatus),
    *(
        e.RefusedDecidedProposal(**ABOUT, request="any", proposal_id="p1", decision=one)
        for one in get_args(e.RefusedDecidedProposal.model_fields["decision"].annotation)
    ),
    *(
        e.RefusedWithdrawnProposal(**ABOUT, request="any", proposal_id="p1", reason=one)
        for one in get_args(e.RefusedWithdrawnProposal.model_fields["reason"].annotation)
    ),
]


@pytest.mark.parametrize("refusal", CHOICES, ids=repr)
def test_each_status_and_decision_has_a_code_of_its_own(refusal: e.AnyRefusal) -> None:
    assert problem_of(refusal).code in problems.codes()
