"""What is stale by a row of the ledger is read by a reader of release 0.1.0, which knows no such reason."""

from typing import Literal

import pytest
from stemma_contracts.base import Contract, Explicit
from stemma_contracts.tokens import Token
from stemma_contracts.v1.ledger import RequirementChange
from stemma_contracts.v1.staleness import StaleMark, StaleReason


class MarkOfRelease010(Explicit):
    """The mark as release 0.1.0 had it."""

    always_sent = ("options",)

    section_id: Token
    reasons: tuple[StaleReason, ...]
    options: tuple[Literal["keep", "regenerate"], ...] = ("keep", "regenerate")


class OfRelease010(Contract):
    makes_stale: tuple[MarkOfRelease010, ...]


class OfNow(Contract):
    makes_stale: tuple[StaleMark, ...]


@pytest.mark.req("L2")
def test_a_mark_with_rows_is_a_mark_without_reasons_to_an_earlier_reader() -> None:
    rows = (RequirementChange(requirement_id="R7", change="changed"),)
    sent = OfNow(makes_stale=(StaleMark(section_id="costs", reasons=(), requirements=rows),)).model_dump_json()
    (read,) = OfRelease010.model_validate_json(sent).makes_stale
    assert (read.section_id, read.reasons, read.options) == ("costs", (), ("keep", "regenerate"))


@pytest.mark.req("L2")
def test_a_mark_of_an_earlier_writer_has_no_rows() -> None:
    sent = OfRelease010(makes_stale=(MarkOfRelease010(section_id="costs", reasons=()),)).model_dump_json()
    assert OfNow.model_validate_json(sent).makes_stale[0].requirements == ()
