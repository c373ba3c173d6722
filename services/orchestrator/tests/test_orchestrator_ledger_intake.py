"""Requests that cut rows of the requirement ledger: what becomes of the rows is stored before it is decided."""

from __future__ import annotations

import pytest
from domain_story import ref
from orchestrator_intake import commanded
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows, RowCuts, RowParts
from stemma_contracts.v1.references import ArtifactRef
from stemma_domain.features.ledger.feature import Cut
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.requests import Refused

pytestmark = pytest.mark.req("L1")

QUOTE = "Train users and keep records."


async def stored(intake: Intake) -> ArtifactRef:
    row = LedgerRow(requirement_id="R1", source="rfp.md", line=1, quote=QUOTE, kind="work", obligation="mandatory")
    body = LedgerRows(given=1, rows=(row,)).model_dump_json().encode()
    return await intake.artifacts.put("default", "d1", body, media_type="application/json", name="requirements.json")


def request(digest: str, name: str = "R1", cut: int = QUOTE.index("and")) -> r.SplitRequirements:
    return r.SplitRequirements(
        document_id="d1", rows_digest=digest, splits=(RowCuts(requirement_id=name, cuts=(cut,)),)
    )


async def test_the_rows_are_cut_and_only_ids_go_into_the_log(intake: Intake) -> None:
    rows = await stored(intake)
    command = await commanded(intake, request(rows.digest), rows=rows)
    assert isinstance(command, Cut)
    assert command.parts == (RowParts(requirement_id="R1", parts=("R1-2",)),)
    assert command.rows is not None
    cut = LedgerRows.model_validate_json(await intake.artifacts.get("default", "d1", command.rows))
    assert [row.quote for row in cut.rows] == ["Train users", "and keep records."]


@pytest.mark.parametrize(("name", "cut", "field"), [("R9", 6, "splits.0.requirement_id"), ("R1", 7, "splits.0.cuts.0")])
async def test_a_cut_that_cannot_be_made_is_refused_with_its_field(
    intake: Intake, name: str, cut: int, field: str
) -> None:
    rows = await stored(intake)
    with pytest.raises(Refused) as refused:
        await commanded(intake, request(rows.digest, name, cut), rows=rows)
    assert [problem.field for problem in refused.value.problems] == [field]


async def test_rows_that_are_erased_are_refused(intake: Intake) -> None:
    with pytest.raises(Refused) as refused:
        await commanded(intake, request(ref("rows").digest), rows=ref("rows"))
    assert [problem.field for problem in refused.value.problems] == ["rows_digest"]


@pytest.mark.parametrize("rows", [None, ref("newer rows")])
async def test_a_cut_of_other_rows_than_those_of_now_is_left_to_the_core_to_refuse(
    intake: Intake, rows: ArtifactRef | None
) -> None:
    command = await commanded(intake, request(ref("rows").digest), rows=rows)
    assert isinstance(command, Cut)
    assert command.rows is None
