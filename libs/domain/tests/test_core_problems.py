"""Each status has a sentence of its own for what it does not allow."""

from __future__ import annotations

from typing import get_args

import pytest
from stemma_contracts import problems
from stemma_contracts.v1.section import SectionStatus
from stemma_domain.features.proposals import ProposalEnd
from stemma_domain.state import Lifecycle

pytestmark = pytest.mark.req("R8")


def test_each_status_and_decision_has_a_code_of_its_own() -> None:
    codes = {f"section_{one}" for one in SectionStatus} | {f"document_{one}" for one in Lifecycle}
    codes |= {f"proposal_{end}" for end in get_args(ProposalEnd) if end != "voided"}
    assert codes <= set(problems.codes())
