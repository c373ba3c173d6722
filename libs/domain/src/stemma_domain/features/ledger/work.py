"""The work of the ledger: a reading of the sources, a second opinion of a model, and what their outcomes mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import SecondOpinion
from stemma_contracts.v1.references import InputFile

from stemma_domain.features.inputs.material import brief_file, evidence_of
from stemma_domain.features.inputs.state import Input
from stemma_domain.hooks import Task, Work
from stemma_domain.job_parts import head_of
from stemma_domain.outcomes import unfitting
from stemma_domain.state import Document

from .state import Ledger

MOST_NAME = 500


class _Given(TypedDict, total=False):
    version: int
    file: str


def work(document: Document) -> Iterator[Work]:
    """The reading that is open, and the model that is asked, also while the document is paused."""
    ledger = document.ledger
    if ledger is not None and ledger.job_id is not None:
        yield ledger.job_id, _READING, (document, ledger)
    if ledger is not None and ledger.opinion_job_id is not None:
        yield ledger.opinion_job_id, _OPINION, (document, ledger)


def _extract(document: Document, ledger: Ledger) -> j.ExtractRequirements:
    assert ledger.job_id is not None
    return j.ExtractRequirements(
        job_id=ledger.job_id, document=head_of(document), sources=_sources(document, ledger), previous=ledger.rows
    )


def _propose(document: Document, ledger: Ledger) -> j.ProposeRequirements:
    assert ledger.opinion_job_id is not None
    assert ledger.rows is not None
    return j.ProposeRequirements(
        job_id=ledger.opinion_job_id,
        document=head_of(document),
        sources=_sources(document, ledger),
        rows=ledger.rows,
        recorded_before=ledger.asked_before[1:],
    )


def _sources(document: Document, ledger: Ledger) -> tuple[j.LedgerSource, ...]:
    inputs = {item.name: _source(item, document) for item in evidence_of(document) if _is_source(item, ledger)}
    return tuple(({BRIEF: _brief(document), **inputs} if ledger.brief else inputs).values())


def _brief(document: Document) -> j.LedgerSource:
    file = brief_file(document)
    given = _given(document.inputs.get(BRIEF))
    return j.LedgerSource(name=BRIEF, artifact=document.brief, anchors=file.anchors if file else None, **given)


def _source(item: InputFile, document: Document) -> j.LedgerSource:
    given = _given(document.inputs.get(item.input_id or ""))
    return j.LedgerSource(name=item.name, artifact=item.artifact, anchors=item.anchors, **given)


def _given(one: Input | None) -> _Given:
    """The version of an input that counts, and its file."""
    return (
        _Given(version=one.version, file=(one.contents[-1].file.name or "")[:MOST_NAME]) if one and one.contents else {}
    )


def _is_source(item: InputFile, ledger: Ledger) -> bool:
    """Whether demands are read from an input: one that is a request, or that somebody named."""
    return item.role == "request" or item.name in ledger.sources


def _extracted(document: Document, ledger: Ledger, outcome: o.Outcome) -> e.AnyLedgerEvent:
    match outcome:
        case o.RequirementsExtracted():
            return e.RequirementsRead(
                job_id=outcome.job_id, rows=outcome.rows, difference=outcome.difference, summary=outcome.summary
            )
        case o.ExtractionFailed() | o.JobDead():
            return e.RequirementsUnread(job_id=outcome.job_id, detail=outcome.detail)
        case _:
            raise unfitting(outcome)


def _proposed(document: Document, ledger: Ledger, outcome: o.Outcome) -> e.AnyLedgerEvent:
    """A model that fails leaves the ledger as it is."""
    match outcome:
        case o.RequirementsProposed():
            opinion, rows = outcome.opinion, outcome.rows
        case o.JobDead():
            opinion, rows = SecondOpinion(failure=outcome.detail or "failed"), None
        case _:
            raise unfitting(outcome)
    return e.RequirementsAdded(job_id=outcome.job_id, opinion=opinion, rows=rows, usage=outcome.usage)


_READING = Task(_extract, _extracted, of_section=False)
_OPINION = Task(_propose, _proposed, of_section=False)
