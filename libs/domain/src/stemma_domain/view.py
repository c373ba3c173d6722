"""From the state of a document to its views, of which the read model holds bounded ones; `decide` reads none."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.cycles import CycleSummary
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.staleness import Because
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import AssignmentView, DocumentView, SectionView, StaleView, VersionView

from stemma_domain.features.inputs.feature import input_views
from stemma_domain.features.ledger.chapters import awaits_chapters
from stemma_domain.features.ledger.feature import ledger_view
from stemma_domain.features.library.feature import entry_view

from .features.budget import budget_view
from .features.cycles import Cycle
from .features.inputs.material import given, lacks_brief, lacks_form
from .staleness import NOT_STALE, Staleness, staleness
from .state import (
    AwaitingAnswer,
    Document,
    Failed,
    LastFailure,
    NeedDispatched,
    Phase,
    Resuming,
    Revising,
    Section,
    Version,
    activity_of,
    has_open_heading,
    status_of,
)
from .table import FEATURES

Drafts = Mapping[int, e.SectionDrafted]
"""Events that a text came with, by their sequence: how it was made is told there alone."""
NO_DRAFTS: Drafts = MappingProxyType({})
MOST_TITLE_BYTES = 4096
MOST_VERSIONS = 30
MOST_REFERENCES = 50
_TELLING = ("number", "draft", "origin", "made_by", "verified", "made_at", "restored_version", "sequence")
"""What tells a version from others: who made it, when and how, and its text."""
_ENGLISH = "en"
_VIEWS = [feature.view for feature in FEATURES if feature.view]
_FAILURES: dict[type[e.SectionFailure], str] = {
    e.SectionModelUnavailable: "job_model_unavailable",
    e.SectionAnswerMalformed: "job_answer_malformed",
    e.SectionContextTooLong: "job_context_too_long",
    e.SectionInputsMissing: "job_inputs_missing",
    e.SectionRoleAnalysisMissing: "job_no_role_analysis",
    e.SectionNoRoleLeft: "job_no_role_left",
    e.SectionThreadLost: "job_thread_lost",
    e.SectionJobDead: "job_dead",
}


def view_of(document: Document, drafts: Drafts = NO_DRAFTS) -> DocumentView:
    """The view of a document; ``drafts`` are the events that its texts came with, as far as they are at hand."""
    stale = staleness(document)
    sections = {
        name: section_view(document, section, stale.get(name, NOT_STALE), drafts)
        for name, section in document.sections.items()
    }
    return filled_from(
        DocumentView,
        document,
        language=document.language or _ENGLISH,
        status=document.status,
        input_views=input_views(document),
        lacks_brief=lacks_brief(document),
        awaits_chapters=awaits_chapters(document),
        updated_at=document.time,
        sections=sections,
        exports={name: export.view for name, export in document.exports.items()},
        form_exports={name: export.view for name, export in document.form_exports.items()},
        returns={name: one.view for name, one in document.returns.items()},
        cycle=cycle_summary(document.cycle) if document.cycle else None,
        cycle_plan=document.cycle.plan if document.cycle else None,
        last_sequence=document.sequence,
        ledger=ledger_view(document, document.ledger) if document.ledger else None,
        budget=budget_view(document),
        reuses=tuple(document.reuses.values()),
    )


def section_view(document: Document, section: Section, because: Because, drafts: Drafts = NO_DRAFTS) -> SectionView:
    """The view of a section that is stale because of something, or is not."""
    plan, phase, notes = section.plan, section.phase, section.notes
    failure = notes.failure
    return filled_from(
        SectionView,
        plan,
        notes,
        last_sequence=document.sequence,
        status=status_of(phase),
        activity=activity_of(phase),
        versions=tuple(_told(version, drafts.get(version.sequence)) for version in section.versions),
        stale=None if because == NOT_STALE else _stale(section, because),
        form_withdrawn=lacks_form(document, section),
        checks=tuple(sorted(section.checks.values())),
        need=phase.need if isinstance(phase, AwaitingAnswer | NeedDispatched) else None,
        asked_by=notes.asker.name,
        asker_verified=notes.asker.verified,
        returns_to=status_of(phase.before) if isinstance(phase, Revising) else SectionStatus.AWAITING_REVIEW,
        failure=str(_problem_of(failure)) if failure else None,
        failure_problem=_problem_of(failure) if failure else None,
        failed_at=_failed_at(phase),
        missing=_missing(failure) if failure else None,
        entry=entry_view(document, section, stale=because != NOT_STALE),
        **_by_features(document, section),
    )


def _by_features(document: Document, section: Section) -> dict[str, Any]:
    told = {name: value for view in _VIEWS for name, value in view(section).items()}
    return told | _asked_to_answer(document, section)


def _asked_to_answer(document: Document, section: Section) -> dict[str, AssignmentView]:
    """An open heading is a question to the owner of the document, where the section is assigned to nobody."""
    asks = document.owner and section.assignment is None and has_open_heading(section)
    return {"assignment": AssignmentView(assignee=document.owner)} if asks else {}


def _stale(section: Section, because: Because) -> StaleView:
    return (section.notes.stale or StaleView()).model_copy(update=dict(because))


def _told(version: Version, drafted: e.SectionDrafted | None) -> VersionView:
    made = {name: getattr(drafted, name) for name in ("retrieved_context", "processing_metadata")} if drafted else {}
    return VersionView.model_construct(**{name: getattr(version, name) for name in VersionView.model_fields} | made)


def _failed_at(phase: Phase) -> Activity | None:
    """What a retry begins anew; nothing where it goes on with a paused graph."""
    return phase.activity if isinstance(phase, Failed) and not isinstance(phase.again, Resuming) else None


def _problem_of(failure: LastFailure) -> Problem:
    """The failure by its code; of one aside, the field is what was done."""
    event = failure.event
    field, reason = event.activity if failure.aside else "", event.detail or "no reason given"
    return Problem.of(_FAILURES[type(event)], field, reason=reason)


def _missing(failure: LastFailure) -> tuple[str, ...] | None:
    event = failure.event
    return event.missing if isinstance(event, e.SectionInputsMissing) and not failure.aside else None


def is_in_motion(section: Section) -> bool:
    """Whether it is about to be written, or is being made: where it stands is told by its document until it rests."""
    made = status_of(section.phase) in (SectionStatus.QUEUED, SectionStatus.GENERATING)
    return made and not isinstance(section.phase, AwaitingAnswer)


def bounded_view(document: Document, name: str, stale: Staleness, last_sequence: int) -> SectionView:
    """The view of a section as the read model holds it, as of a sequence of the log, however long its history is."""
    view = _latest_view(document, name, stale, MOST_VERSIONS)
    update: dict[str, object] = {
        "last_sequence": last_sequence,
        "versions": (*map(_in_short, view.versions[:-1]), *view.versions[-1:]),
        "threads": (),
    }
    if need := view.need:
        update["need"] = need.model_copy(update={"assets": (), "references": need.references[:MOST_REFERENCES]})
        update["more_references"] = max(0, len(need.references) - MOST_REFERENCES)
    return view.model_copy(update=update)


def _latest_view(document: Document, name: str, stale: Staleness, most_versions: int) -> SectionView:
    section = document.sections[name]
    latest = replace(section, versions=section.versions[-most_versions:])
    view = section_view(document, latest, stale.get(name, NOT_STALE))
    return view.model_copy(update={"earlier_versions": len(section.versions) - len(latest.versions)})


def _in_short(version: VersionView) -> VersionView:
    return VersionView.model_validate({name: getattr(version, name) for name in _TELLING})


def summarise(document: Document, last_sequence: int, stale: Staleness | None = None) -> DocumentSummary:
    """The summary of a document as of a sequence of the log; ``stale`` spares asking `staleness` a second time."""
    stale, titled = staleness(document) if stale is None else stale, _titled(document)
    sections = (_latest_view(document, name, stale, 1) for name in document.sections)
    return filled_from(
        DocumentSummary,
        document,
        status=document.status,
        last_sequence=last_sequence,
        cycle=cycle_summary(document.cycle) if document.cycle else None,
        sections=tuple(SectionSummary.of(section, section.title if titled else "") for section in sections),
        updated_at=document.time,
        budget=budget_view(document),
        input_count=sum(1 for _ in given(document)),
        lacks_brief=lacks_brief(document),
        rows=document.ledger.rows if document.ledger else None,
    )


def _titled(document: Document) -> bool:
    return sum(len(section.plan.title.encode()) for section in document.sections.values()) <= MOST_TITLE_BYTES


def cycle_summary(cycle: Cycle) -> CycleSummary:
    """How far a document is that is reviewed in cycles."""
    return filled_from(
        CycleSummary,
        cycle,
        max_revisions=cycle.plan.max_revisions,
        forced_continuation=cycle.forced_continuation,
        unmet_review=cycle.unmet_review.digest if cycle.unmet_review else None,
    )
