"""Events of the requirement ledger, folded into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import RequirementDecision

from .ledger_state import Ledger, Standing


def ledger_after(ledger: Ledger | None, event: e.AnyLedgerEvent, job_id: str) -> Ledger:
    """The ledger after an event; ``job_id`` is that of the job that the event opens, if it opens one."""
    ledger = ledger or Ledger()
    match event:
        case e.RequirementsRequested():
            return replace(ledger, sources=event.sources, brief=not event.without_brief, job_id=job_id, failure="")
        case e.RequirementsRead():
            return replace(
                ledger, job_id=None, rows=event.rows, difference=event.difference, summary=event.summary, failure=""
            )
        case e.RequirementsUnread():
            return replace(ledger, job_id=None, failure=event.detail or "failed")
        case e.RequirementsDecided():
            return _decided(ledger, event.decisions)
        case _:
            assert_never(event)


def _decided(ledger: Ledger, decisions: Iterable[RequirementDecision]) -> Ledger:
    standings = dict(ledger.standings)
    for decision in decisions:
        before = standings.get(decision.requirement_id, Standing())
        standings[decision.requirement_id] = _stands(before, decision)
    return replace(ledger, standings=standings)


def _stands(before: Standing, decision: RequirementDecision) -> Standing:
    """A row that is confirmed is not dropped, and one that is taken back stands by itself again."""
    given = decision.model_dump(exclude_none=True, exclude={"requirement_id"})
    after = replace(before, **given)
    if decision.confirmed:
        return replace(after, dropped=False, merged_into="")
    return replace(after, merged_into="") if decision.dropped is False else after
