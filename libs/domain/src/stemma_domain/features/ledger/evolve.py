"""Events of the requirement ledger, folded into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import LedgerSummary, RequirementDecision, RowParts

from stemma_domain.job_ids import EXTRACT, PROPOSE, job_id
from stemma_domain.state import Document, settled
from stemma_domain.tries import MOST_NAMES

from .answering import texts
from .state import Ledger, Standing, Wordings

Texts = Mapping[str, str]
"""The digests of what is written, by section."""
JobOf = Callable[[str], str]


def ledger_after(ledger: Ledger | None, event: e.AnyLedgerEvent, job_of: JobOf, texts: Texts) -> Ledger:
    """The ledger after an event; ``job_of`` gives the id of a job that the event opens, by the name of the job."""
    ledger = ledger or Ledger()
    match event:
        case e.RequirementsRequested():
            return replace(
                ledger,
                sources=event.sources,
                brief=not event.without_brief,
                job_id=job_of(EXTRACT),
                failure="",
                wants_opinion=event.second_opinion,
                opinion_job_id=None,
            )
        case e.RequirementsRead():
            return _read(ledger, event, job_of)
        case e.RequirementsUnread():
            return replace(ledger, job_id=None, failure=event.detail or "failed")
        case e.RequirementsDecided():
            return _decided(ledger, event.decisions, texts)
        case e.RequirementsSplit():
            return _split(ledger, event, job_of)
        case e.RequirementsAdded():
            return _added(ledger, event)
        case _:
            assert_never(event)


def _reworded(ledger: Ledger, summary: LedgerSummary) -> Wordings:
    return {**ledger.wordings, **{name: ledger.wording(name) + 1 for name in summary.changed}}


def _read(ledger: Ledger, event: e.RequirementsRead, job_of: JobOf) -> Ledger:
    ledger = replace(
        ledger,
        job_id=None,
        rows=event.rows,
        difference=event.difference,
        summary=event.summary,
        failure="",
        wordings=_reworded(ledger, event.summary),
        opinion=None,
    )
    return _asked(ledger, job_of) if ledger.wants_opinion else ledger


def _asked(ledger: Ledger, job_of: JobOf) -> Ledger:
    job_id = job_of(PROPOSE)
    return replace(ledger, opinion_job_id=job_id, asked_before=(job_id, *ledger.asked_before)[:MOST_NAMES])


def _added(ledger: Ledger, event: e.RequirementsAdded) -> Ledger:
    summary, opinion = ledger.summary, event.opinion
    new = {"mandatory": (*summary.mandatory, *opinion.mandatory), "others": (*summary.others, *opinion.others)}
    return replace(
        ledger,
        rows=event.rows or ledger.rows,
        summary=summary.model_copy(update=new if event.rows else {}),
        opinion_job_id=None,
        opinion=opinion,
    )


def _split(ledger: Ledger, event: e.RequirementsSplit, job_of: JobOf) -> Ledger:
    """Parts stand as the whole did, without an answer; a job that is under way begins again, from these rows."""
    standings, summary = dict(ledger.standings), ledger.summary
    for split in event.splits:
        unsaid = {"said": None, "said_of": "", "said_wording": 0}
        unanswered = ledger.standing(split.requirement_id).model_copy(update=unsaid)
        standings |= dict.fromkeys((split.requirement_id, *split.parts), unanswered)
        summary = summary.model_copy(
            update={
                "mandatory": _with_parts(summary.mandatory, split),
                "others": _with_parts(summary.others, split),
            }
        )
    reading = job_of(EXTRACT) if ledger.job_id is not None else None
    ledger = replace(ledger, job_id=reading, rows=event.rows, summary=summary, standings=standings)
    return _asked(ledger, job_of) if ledger.opinion_job_id is not None else ledger


def _with_parts(names: tuple[str, ...], split: RowParts) -> tuple[str, ...]:
    return tuple(part for name in names for part in ((name, *split.parts) if name == split.requirement_id else (name,)))


def _decided(ledger: Ledger, decisions: Iterable[RequirementDecision], texts: Texts) -> Ledger:
    standings = dict(ledger.standings)
    for decision in decisions:
        after = _stands(standings.get(decision.requirement_id, Standing()), decision)
        if decision.status is not None:
            said_of, wording = texts.get(after.section_id, ""), ledger.wording(decision.requirement_id)
            said = {"said": decision.status, "said_of": said_of, "said_wording": wording}
            after = after.model_copy(update=said)
        standings[decision.requirement_id] = after
    return replace(ledger, standings=standings)


def _stands(before: Standing, decision: RequirementDecision) -> Standing:
    """A row that is confirmed is not dropped, and one that is taken back stands by itself again."""
    given = decision.model_dump(exclude_none=True, exclude={"requirement_id", "status"})
    if decision.confirmed:
        given |= {"dropped": False, "merged_into": ""}
    elif decision.dropped is False:
        given |= {"merged_into": ""}
    return before.model_copy(update=given)


def evolve(document: Document, event: e.AnyLedgerEvent) -> Document:
    """The document after an event of the ledger."""
    ledger = ledger_after(document.ledger, event, partial(job_id, document, target="ledger"), texts(document))
    if isinstance(event, e.RequirementsRead | e.RequirementsUnread | e.RequirementsAdded):
        document = settled(document, event.job_id)
    return replace(document, ledger=ledger)
