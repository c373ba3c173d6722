"""All that waits for a person."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from stemma_client.client import Client
from stemma_client.errors import DocumentNotFoundError
from stemma_client.findings import Finding, findings_of
from stemma_contracts.v1.budgets import BudgetQuestion
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import AssignmentView, DocumentView, SectionView
from stemma_domain.dependencies import waiting_for

from stemma_cli import wording
from stemma_cli.lookup import title_of
from stemma_cli.output import note

from .findings import lines_about_edit, lines_of
from .inputs import brief_words
from .plans import budget_words

FEW = 4
"""Findings of a section that stand below the list."""


@dataclass(frozen=True)
class Entry:
    """What waits in a document: a section, the brief, which nobody can read, or the question of its budget."""

    document_id: str
    document_title: str
    section: SectionView | None
    unblocks: Sequence[str]
    waits_for: str
    since: datetime | None = None
    question: str = ""
    findings: Sequence[Finding] = ()
    edit_findings: Sequence[str] = ()
    about: str = ""

    @property
    def section_id(self) -> str:
        return self.section.section_id if self.section else self.about

    @property
    def assignment(self) -> AssignmentView:
        """Who is asked to see to it; nobody in particular by an empty one."""
        return (self.section and self.section.assignment) or AssignmentView(assignee="")


def finding_lines(entry: Entry) -> Iterator[str]:
    about = f"{entry.document_id[:8]} {entry.section_id}"
    for words in lines_of(entry.findings, FEW):
        yield f"{about}: {words}"
    proposal_id = entry.section.proposal.proposal_id if entry.section and entry.section.proposal else ""
    for words in entry.edit_findings:
        yield f"{about}: edit {proposal_id}: {words}"


def closing_lines(found: Sequence[Entry]) -> Iterator[str]:
    yield "read one with `stemma show DOC SECTION`"
    if any(finding.code == "heading_open" for entry in found for finding in entry.findings):
        yield "say what stands under an open heading with `stemma answer DOC SECTION --heading HEADING -m WORDS`"
    if any(entry.section and "stale" in entry.section.waits_for for entry in found):
        yield "see with `stemma stale DOC` what changed, then `stemma keep` or `stemma regenerate`"


async def entries_of(client: Client, document: DocumentSummary) -> list[Entry]:
    try:
        view = await client.document(document.document_id)
    except DocumentNotFoundError:  # one spoilt summary hides nothing that waits elsewhere
        note(f"the log knows no document {document.document_id}: its summary is left out")
        return []
    title = await title_of(client, view.document_id, view.title)
    listed = [section for section in view.sections.values() if section.waits or section.open_threads]
    waiting = [await _entry(client, view, title, section) for section in listed]
    return [
        *([_brief_entry(view, title)] if view.lacks_brief else []),
        *([_budget_entry(view, title, view.budget.question)] if view.budget and view.budget.question else []),
        *waiting,
    ]


def _brief_entry(view: DocumentView, title: str) -> Entry:
    """A brief that nobody can read holds up all sections."""
    held_up = sorted(view.sections)
    return Entry(view.document_id, title, None, held_up, brief_words(view), view.updated_at, about=BRIEF)


def _budget_entry(view: DocumentView, title: str, asked: BudgetQuestion) -> Entry:
    held_up = sorted({*asked.sections}.union(*(waiting_for(view, name) for name in asked.sections)))
    return Entry(view.document_id, title, None, held_up, budget_words(view), view.updated_at)


async def _entry(client: Client, view: DocumentView, title: str, section: SectionView) -> Entry:
    return Entry(
        document_id=view.document_id,
        document_title=title,
        section=section,
        unblocks=sorted(waiting_for(view, section.section_id)) if section.waits else [],
        waits_for=_wait_words(section),
        since=wording.waits_since(section),
        question=await client.text(view.document_id, section.need.question) if section.need and section.asks else "",
        findings=await findings_of(client, view.document_id, section.current),
        edit_findings=await lines_about_edit(client, view, section),
    )


def _wait_words(section: SectionView) -> str:
    review = "review" if section.waits_for_review else ""
    stale = stale_words(section) if section.is_to_be_kept_or_regenerated else ""
    lost = wording.coverage_words(section.validation.coverage if section.validation else None)
    conflicts, comments = wording.conflict_words(section), wording.comments_words(section)
    told = (review, wording.proposal_words(section), conflicts, stale, lost, comments)
    return "; ".join(filter(None, told))


def stale_words(section: SectionView) -> str:
    first = next((reason.upstream_section_id for reason in section.stale_reasons if reason.upstream_stale), None)
    choice = f"decide about {first} first, or keep or regenerate" if first else "keep or regenerate"
    return f"stale ({wording.because_words(section)}): {choice}"


def most_pressing_first(entry: Entry) -> tuple[int, float]:
    due = entry.assignment.due
    return -len(entry.unblocks), due.timestamp() if due else inf


def _waits_for(entry: Entry) -> str:
    need = entry.section.need if entry.section and entry.section.asks else None
    return "; ".join(filter(None, (f"answer {need.need_id}: {entry.question}" if need else "", entry.waits_for)))


def _lint(entry: Entry) -> str:
    version, validation = (entry.section.version, entry.section.validation) if entry.section else (0, None)
    return wording.count_words(validation) if validation else "not checked" if version else ""


COLUMNS: Mapping[str, Callable[[Entry], str]] = {
    "DOCUMENT": lambda entry: entry.document_id,
    "SECTION": lambda entry: entry.section_id,
    "TITLE": lambda entry: entry.section.title if entry.section else "",
    "VERSION": lambda entry: wording.version_words(entry.section.version if entry.section else 0),
    "AGE": lambda entry: wording.age_words(entry.since),
    "SCORE": lambda entry: wording.score_words(entry.section.evaluation) if entry.section else "",
    "LINT": _lint,
    "UNBLOCKS": lambda entry: str(len(entry.unblocks) or ""),
    "WAITS FOR": _waits_for,
    "ASSIGNED": lambda entry: wording.assignment_words(entry.assignment.assignee, entry.assignment.due),
    "OF": lambda entry: entry.document_title,
}
