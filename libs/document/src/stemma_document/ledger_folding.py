"""Events of the requirement ledger, folded into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import LedgerSummary, RequirementDecision, RowParts

from .ledger_state import Ledger, Standing, Wordings

Texts = Mapping[str, str]
"""The digests of what is written, by section."""


def ledger_after(ledger: Ledger | None, event: e.AnyLedgerEvent, job_id: str, texts: Texts) -> Ledger:
    """The ledger after an event; ``job_id`` is that of the job that the event opens, if it opens one."""
    ledger = ledger or Ledger()
    match event:
        case e.RequirementsRequested():
            return replace(ledger, sources=event.sources, brief=not event.without_brief, job_id=job_id, failure="")
        case e.RequirementsRead():
            return replace(
                ledger,
                job_id=None,
                rows=event.rows,
                difference=event.difference,
                summary=event.summary,
                failure="",
                wordings=_reworded(ledger, event.summary),
            )
        case e.RequirementsUnread():
            return replace(ledger, job_id=None, failure=event.detail or "failed")
        case e.RequirementsDecided():
            return _decided(ledger, event.decisions, texts)
        case e.RequirementsSplit():
            return _split(ledger, event, job_id)
        case _:
            assert_never(event)


def _reworded(ledger: Ledger, summary: LedgerSummary) -> Wordings:
    return {**ledger.wordings, **{name: ledger.wording(name) + 1 for name in summary.changed}}


def _split(ledger: Ledger, event: e.RequirementsSplit, job_id: str) -> Ledger:
    """Parts stand as the whole did, without an answer; a reading that is under way begins again, from these rows."""
    standings, summary = dict(ledger.standings), ledger.summary
    for split in event.splits:
        unanswered = replace(ledger.standing(split.requirement_id), status=None, said_of="", said_wording=0)
        standings |= dict.fromkeys((split.requirement_id, *split.parts), unanswered)
        summary = summary.model_copy(
            update={
                "mandatory": _with_parts(summary.mandatory, split),
                "others": _with_parts(summary.others, split),
            }
        )
    reading = job_id if ledger.job_id is not None else None
    return replace(ledger, job_id=reading, rows=event.rows, summary=summary, standings=standings)


def _with_parts(names: tuple[str, ...], split: RowParts) -> tuple[str, ...]:
    return tuple(part for name in names for part in ((name, *split.parts) if name == split.requirement_id else (name,)))


def _decided(ledger: Ledger, decisions: Iterable[RequirementDecision], texts: Texts) -> Ledger:
    standings = dict(ledger.standings)
    for decision in decisions:
        after = _stands(standings.get(decision.requirement_id, Standing()), decision)
        if decision.status is not None:
            wording = ledger.wording(decision.requirement_id)
            after = replace(after, said_of=texts.get(after.section_id, ""), said_wording=wording)
        standings[decision.requirement_id] = after
    return replace(ledger, standings=standings)


def _stands(before: Standing, decision: RequirementDecision) -> Standing:
    """A row that is confirmed is not dropped, and one that is taken back stands by itself again."""
    given = decision.model_dump(exclude_none=True, exclude={"requirement_id"})
    after = replace(before, **given)
    if decision.confirmed:
        return replace(after, dropped=False, merged_into="")
    return replace(after, merged_into="") if decision.dropped is False else after
