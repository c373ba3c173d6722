"""All that waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from stemma_client.client import Client
from stemma_client.errors import DocumentNotFoundError
from stemma_client.findings import NOT_JUDGED, Finding, findings_of
from stemma_contracts.v1.inputs import BRIEF, ChangedInput
from stemma_contracts.v1.ledger import RequirementChange
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import waiting_for

from stemma_cli.coverage import coverage_words
from stemma_cli.lookup import title_of
from stemma_cli.output import note
from stemma_cli.wording import (
    age_words,
    because_words,
    count_words,
    proposal_words,
    version_words,
    waits_since,
)

from .assignments import assignment_words
from .comments import comments_words
from .findings import lines_about_edit, lines_of
from .inputs import brief_words

COLUMNS = ("DOCUMENT", "SECTION", "TITLE", "VERSION", "AGE", "SCORE", "LINT", "UNBLOCKS", "WAITS FOR", "ASSIGNED", "OF")
FEW = 4
"""Findings of a section that stand below the list."""


@dataclass(frozen=True)
class Entry:
    """What waits in a document: a section, or the brief, which nobody can read."""

    document_id: str
    document_title: str
    section_id: str
    unblocks: Sequence[str]
    waits_for: str
    title: str = ""
    version: int = 0
    score: float | None = None
    judged: bool | None = None
    issue_count: int = 0
    validation: str = ""
    review: bool = False
    need_id: str | None = None
    proposal_id: str | None = None
    question: str = ""
    stale: Sequence[StaleReason] = ()
    stale_inputs: Sequence[ChangedInput] = ()
    stale_requirements: Sequence[RequirementChange] = ()
    since: datetime | None = None
    findings: Sequence[Finding] = ()
    edit_findings: Sequence[str] = ()
    open_threads: int = 0
    assignee: str = ""
    due: datetime | None = None


def finding_lines(entry: Entry) -> Iterator[str]:
    """What is known of the text of an entry, and of the edit that is proposed."""
    about = f"{entry.document_id[:8]} {entry.section_id}"
    for words in lines_of(entry.findings, FEW):
        yield f"{about}: {words}"
    for words in entry.edit_findings:
        yield f"{about}: edit {entry.proposal_id}: {words}"


def closing_lines(found: Sequence[Entry]) -> Iterator[str]:
    """How to go on."""
    yield "read one with `stemma show DOC SECTION`"
    if any(entry.stale or entry.stale_inputs or entry.stale_requirements for entry in found):
        yield "see with `stemma stale DOC` what changed, then `stemma keep` or `stemma regenerate`"


async def entries_of(client: Client, document: DocumentSummary) -> list[Entry]:
    """All that waits for a person in a document, also comments that nobody resolved."""
    try:
        view = await client.document(document.document_id)
    except DocumentNotFoundError:  # one spoilt summary hides nothing that waits elsewhere
        note(f"the log knows no document {document.document_id}: its summary is left out")
        return []
    title = await title_of(client, view.document_id, view.title)
    listed = [section for section in view.sections.values() if section.waits or section.open_threads]
    waiting = [await _entry(client, view, title, section) for section in listed]
    return [*([_brief_entry(view, title)] if view.lacks_brief else []), *waiting]


def _brief_entry(view: DocumentView, title: str) -> Entry:
    """A brief that nobody can read holds up all sections."""
    held_up = sorted(view.sections)
    return Entry(view.document_id, title, BRIEF, held_up, brief_words(view), since=view.updated_at)


async def _entry(client: Client, view: DocumentView, title: str, section: SectionView) -> Entry:
    decides = section.is_to_be_kept_or_regenerated
    reasons, inputs = (section.stale_reasons, section.stale_inputs) if decides else ((), ())
    rows = section.stale_requirements if decides else ()
    need, asked = section.need if section.asks else None, section.assignment
    return Entry(
        document_id=view.document_id,
        document_title=title,
        section_id=section.section_id,
        unblocks=sorted(waiting_for(view, section.section_id)) if section.waits else [],
        waits_for=_wait_words(section, stale_words(reasons, inputs, rows)),
        title=section.title,
        version=section.version,
        score=section.evaluation.score if section.evaluation and section.evaluation.judged else None,
        judged=section.evaluation.judged if section.evaluation else None,
        issue_count=section.issue_count,
        validation=count_words(section.validation) if section.validation else "",
        review=section.waits_for_review,
        need_id=need.need_id if need else None,
        proposal_id=section.proposal.proposal_id if section.proposal and section.proposes else None,
        question=await client.text(view.document_id, need.question) if need else "",
        stale=reasons,
        stale_inputs=inputs,
        stale_requirements=rows,
        since=waits_since(section),
        findings=await findings_of(client, view.document_id, section.current),
        edit_findings=await lines_about_edit(client, view, section),
        open_threads=len(section.open_threads),
        assignee=asked.assignee if asked else "",
        due=asked.due if asked else None,
    )


def _wait_words(section: SectionView, stale: str) -> str:
    review = "review" if section.status is SectionStatus.AWAITING_REVIEW else ""
    lost = coverage_words(section.validation.coverage if section.validation else None)
    told = (review, proposal_words(section), stale, lost, comments_words(section))
    return "; ".join(filter(None, told))


def stale_words(
    reasons: Sequence[StaleReason],
    inputs: Sequence[ChangedInput] = (),
    rows: Sequence[RequirementChange] = (),
) -> str:
    """Why a section is stale, and what a person can do about it now."""
    if not reasons and not inputs and not rows:
        return ""
    first = next((reason.upstream_section_id for reason in reasons if reason.upstream_stale), None)
    choice = f"decide about {first} first, or keep or regenerate" if first else "keep or regenerate"
    return f"stale ({because_words(reasons, inputs, rows)}): {choice}"


def most_pressing_first(entry: Entry) -> tuple[int, float]:
    """By what it holds up, then by when it is due."""
    return -len(entry.unblocks), entry.due.timestamp() if entry.due else inf


def row(entry: Entry) -> tuple[str, ...]:
    """An entry for a table."""
    answer = f"answer {entry.need_id}: {entry.question}" if entry.need_id else ""
    return (
        entry.document_id,
        entry.section_id,
        entry.title,
        version_words(entry.version),
        age_words(entry.since),
        NOT_JUDGED if entry.judged is False else "" if entry.score is None else f"{entry.score:.2f}",
        entry.validation or ("not checked" if entry.version else ""),
        str(len(entry.unblocks) or ""),
        "; ".join(filter(None, (answer, entry.waits_for))),
        assignment_words(entry.assignee, entry.due),
        entry.document_title,
    )
