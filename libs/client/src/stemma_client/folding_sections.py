"""From events about a section to the view of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import singledispatch
from typing import Any

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Activity, Origin, SectionStatus, UpstreamVersion

from .views import BY_A_PERSON, ProposalView, SectionView, VersionView

_LOOKED_AT = frozenset({Activity.VALIDATE, Activity.EVALUATE})
_RESTING = frozenset({SectionStatus.APPROVED, SectionStatus.EDITED})
_RESUMPTION = ".resume."  # in the id of a job that goes on with a paused graph
_FAILURES: dict[type[e.SectionFailure], str] = {
    e.SectionModelUnavailable: "model unavailable",
    e.SectionAnswerMalformed: "malformed answer",
    e.SectionContextTooLong: "too long for the model",
    e.SectionInputsMissing: "inputs missing",
    e.SectionRoleAnalysisMissing: "no role analysis",
    e.SectionNoRoleLeft: "no role left",
    e.SectionThreadLost: "paused work lost",
    e.SectionJobDead: "dead letter",
}


@singledispatch
def section_after(event: e.SectionEvent, section: SectionView, at: datetime | None) -> SectionView:
    """A section after an event about it that was stored at a time; every type of event is registered here."""
    raise NotImplementedError(type(event).__name__)


@section_after.register
def _(event: e.SectionDrafted, section: SectionView, at: datetime | None) -> SectionView:
    version = VersionView(
        event.version,
        event.draft,
        Origin.GENERATED,
        made_by=event.provenance.model,
        made_at=at,
        provenance=event.provenance,
        rests_on=event.upstream,
        evaluation=event.evaluation,
        retrieved_context=event.retrieved_context,
        processing_metadata=event.processing_metadata,
        warnings=event.warnings,
    )
    return _with_version(section, version, activity=Activity.VALIDATE, checks=frozenset())


@section_after.register
def _(event: e.SectionRevised, section: SectionView, at: datetime | None) -> SectionView:
    version = VersionView(
        event.version,
        event.draft,
        Origin.REVISED,
        made_by=section.asked_by,
        verified=section.asker_verified,
        made_at=at,
        provenance=event.provenance,
        rests_on=_rests_on(section),
        summary=event.summary,
        evaluation=event.evaluation,
        protected=section.current is not None and section.current.is_a_persons,
    )
    return _with_version(section, version, activity=Activity.VALIDATE, checks=frozenset({Activity.EVALUATE}))


@section_after.register
def _(event: e.SectionEdited, section: SectionView, at: datetime | None) -> SectionView:
    version = VersionView(
        event.version,
        event.draft,
        event.origin,
        made_by=event.actor or section.asked_by,
        verified=event.actor_verified if event.actor else section.asker_verified,
        made_at=at,
        provenance=event.provenance,
        rests_on=event.upstream,
        summary=event.summary,
    )
    return _settled_with(replace(section, proposal=None) if event.proposal_id else section, version)


@section_after.register
def _(event: e.SectionRestored, section: SectionView, at: datetime | None) -> SectionView:
    restored = next(v for v in section.versions if v.number == event.restored_version)
    version = replace(
        restored,
        number=event.version,
        origin=Origin.RESTORED,
        made_by=event.actor or "",
        verified=event.actor_verified,
        made_at=at,
        restored_version=event.restored_version,
        kept_against=(),
    )
    return _settled_with(section, version)


def _settled_with(section: SectionView, version: VersionView) -> SectionView:
    return _with_version(section, version, status=SectionStatus.EDITED, activity=None, need=None, checks=_LOOKED_AT)


def _with_version(section: SectionView, version: VersionView, **changes: Any) -> SectionView:
    """The same text again is no new version: it takes the place of the current one, and stays a person's."""
    current, kept = section.current, section.versions
    if current is not None and current.number == version.number:
        kept = kept[:-1]
        version = _still_a_persons(current, version)
    unfailed = replace(section, failure=None, failed_at=None, missing=None)
    return replace(unfailed, versions=(*kept, version), refusal=None, **changes)


def _still_a_persons(current: VersionView, again: VersionView) -> VersionView:
    """A version that a machine came to again, in the very words of a person."""
    if again.origin in BY_A_PERSON or not current.is_a_persons:
        return again
    return replace(
        again,
        origin=current.origin,
        protected=current.protected,
        made_by=current.made_by,
        verified=current.verified,
        made_at=current.made_at,
        restored_version=current.restored_version,
    )


def _rests_on(section: SectionView) -> tuple[UpstreamVersion, ...]:
    return section.current.rests_on if section.current else ()


def _with_current(section: SectionView, **changes: Any) -> SectionView:
    if section.current is None:
        return section
    return replace(section, versions=(*section.versions[:-1], replace(section.current, **changes)))


@section_after.register
def _(event: e.SectionLintFailed, section: SectionView, at: datetime | None) -> SectionView:
    section = _with_current(section, validation=event.validation)
    return replace(section, activity=Activity.GENERATE, lint_round=event.round)


@section_after.register
def _(event: e.SectionReviewRequested, section: SectionView, at: datetime | None) -> SectionView:
    section = _with_current(section, validation=event.validation)
    return replace(section, status=SectionStatus.AWAITING_REVIEW, activity=None, waits_since=at)


@section_after.register
def _(event: e.SectionApproved, section: SectionView, at: datetime | None) -> SectionView:
    section = _with_current(section, validation=event.validation) if event.validation else section
    return replace(section, status=SectionStatus.APPROVED, activity=None)


@section_after.register(e.SectionRevisionRequested)
@section_after.register(e.SectionEditRequested)
def _(
    event: e.SectionRevisionRequested | e.SectionEditRequested, section: SectionView, at: datetime | None
) -> SectionView:
    if isinstance(event, e.SectionEditRequested) and event.proposal_id is not None:
        proposal = ProposalView(event.proposal_id, event.version, event.actor or "", at, verified=event.actor_verified)
        return replace(section, proposal=proposal, refusal=None, failure=None)
    return replace(
        section,
        status=SectionStatus.GENERATING,
        activity=Activity.EDIT,
        returns_to=_returns_to(section),
        asked_by=event.actor or "",
        asker_verified=event.actor_verified,
        checks=frozenset(),
        need=None,
        refusal=None,
        failure=None,
        missing=None,
    )


@section_after.register
def _(event: e.SectionEditProposed, section: SectionView, at: datetime | None) -> SectionView:
    asked = section.proposal or ProposalView(event.proposal_id, event.version, "", at)
    proposal = replace(
        asked,
        draft=event.draft,
        summary=event.summary,
        base_digest=event.base_digest,
        model=event.provenance.model,
        made_at=at,
        checking=event.to_be_checked,
    )
    return replace(section, proposal=proposal)


@section_after.register
def _(event: e.SectionEditChecked, section: SectionView, at: datetime | None) -> SectionView:
    if section.proposal is None:
        return section
    unchecked = "" if event.validation else event.detail or "unknown"
    found = replace(section.proposal, checking=False, validation=event.validation, unchecked=unchecked)
    return replace(section, proposal=found)


@section_after.register(e.SectionEditRejected)
@section_after.register(e.SectionEditVoided)
def _(event: e.SectionEditRejected | e.SectionEditVoided, section: SectionView, at: datetime | None) -> SectionView:
    return replace(section, proposal=None)


def _returns_to(section: SectionView) -> SectionStatus:
    """The status when an edit comes to nothing: what was to be written still is."""
    if section.status in _RESTING:
        return section.status
    unwritten = section.status is SectionStatus.QUEUED or section.activity is Activity.GENERATE
    return SectionStatus.QUEUED if unwritten else SectionStatus.AWAITING_REVIEW


def cancelled(section: SectionView) -> SectionView:
    """A section of which nothing is waited for any more."""
    section = replace(section, checks=frozenset(), need=None, proposal=None)
    if section.status is not SectionStatus.GENERATING:
        return section
    written = SectionStatus.AWAITING_REVIEW if section.versions else SectionStatus.QUEUED
    status = section.returns_to if section.activity is Activity.EDIT else written
    return replace(section, status=status, activity=None)


@section_after.register
def _(event: e.SectionRevisionRefused, section: SectionView, at: datetime | None) -> SectionView:
    if event.proposal_id is not None:
        return replace(section, proposal=None, refusal=event.reason)
    return replace(section, status=section.returns_to, activity=None, refusal=event.reason)


@section_after.register
def _(event: e.SectionFailure, section: SectionView, at: datetime | None) -> SectionView:
    failure = ": ".join(filter(None, (_FAILURES.get(type(event), "failed"), event.detail)))
    if event.activity in section.checks:
        return replace(section, checks=section.checks - {event.activity}, failure=f"{event.activity}: {failure}")
    if event.proposal_id is not None:
        return replace(section, proposal=None, failure=f"{event.activity}: {failure}")
    goes_on = _RESUMPTION in event.job_id and not isinstance(event, e.SectionThreadLost)
    failed_at = None if goes_on else event.activity
    missing = event.missing if isinstance(event, e.SectionInputsMissing) else None
    failed = replace(section, failure=failure, failed_at=failed_at, missing=missing)
    return replace(failed, status=event.status, activity=None)


@section_after.register
def _(event: e.SectionRetried, section: SectionView, at: datetime | None) -> SectionView:
    # A draft is validated again, and a paused graph goes on; everything else begins anew, once it is met.
    tried = replace(section, failure=None, failed_at=None, missing=None)
    if section.status is not SectionStatus.FAILED:
        return tried
    if section.failed_at is Activity.GENERATE:
        return replace(tried, status=SectionStatus.QUEUED, activity=None)
    return replace(tried, status=SectionStatus.GENERATING, activity=section.failed_at or Activity.GENERATE)


@section_after.register
def _(event: e.SectionNeedRaised, section: SectionView, at: datetime | None) -> SectionView:
    return replace(section, need=event.need, waits_since=at)


@section_after.register
def _(event: e.SectionNeedAnswered, section: SectionView, at: datetime | None) -> SectionView:
    return replace(section, need=None)


@section_after.register
def _(event: e.SectionKept, section: SectionView, at: datetime | None) -> SectionView:
    return _with_current(section, rests_on=event.accepted, kept_against=event.accepted)


@section_after.register
def _(event: e.SectionRegenerationRequested, section: SectionView, at: datetime | None) -> SectionView:
    queued = replace(section, status=SectionStatus.QUEUED, activity=None, checks=frozenset())
    return replace(queued, refusal=None, failure=None, missing=None)


@section_after.register
def _(event: e.SectionChecked, section: SectionView, at: datetime | None) -> SectionView:
    if event.validation is not None:
        section = _with_current(section, validation=event.validation)
        return replace(section, checks=section.checks - {Activity.VALIDATE})
    section = _with_current(section, evaluation=event.evaluation)
    return replace(section, checks=section.checks - {Activity.EVALUATE})
