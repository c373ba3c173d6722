"""Fold an event about a section into the section. The event is a fact: no rule is applied here."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.provenance import BY_A_PERSON
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.validation import ValidationSummary

from stemma_domain.jobs import EVALUATE, GENERATE, RESUME, REVISE, VALIDATE, job_id
from stemma_domain.state import Tries, begun_again, resumed_again

from .features.inputs.material import input_versions, together
from .features.ledger.answering import asked_of
from .features.needs import after_need_answered, after_need_raised, dispatched_again
from .features.proposals import after_edit, after_proposal, proposing, withdrawn
from .resting import used_together
from .state import (
    Approved,
    AwaitingAnswer,
    AwaitingReview,
    Document,
    Edited,
    Failed,
    Generating,
    LastFailure,
    Lifecycle,
    NeedDispatched,
    Notes,
    Phase,
    Queued,
    Resting,
    Resuming,
    Revising,
    Section,
    Validating,
    Version,
    guidance_of,
    person_of,
    settled,
    with_section,
)
from .texts import (
    AnyTextEvent,
    upstream_versions,
    version_of,
    with_approval,
    with_author,
    with_current,
    without_approval,
)


def started(document: Document, section: Section) -> Section:
    queued = section.phase if isinstance(section.phase, Queued) else Queued()
    job = job_id(document, GENERATE, section.plan.section_id)
    versions = upstream_versions(document, section)
    phase = Generating(
        job,
        versions,
        queued.guidance,
        tries=queued.tries,
        inputs=input_versions(document),
        requirements=asked_of(document, section.plan.section_id),
    )
    return replace(section, phase=phase, checks={}, notes=started_notes(section.notes))


_REOPENING = (
    e.SectionRetried,
    e.SectionEditRequested,
    e.SectionEdited,
    e.SectionRestored,
    e.SectionRegenerationRequested,
    e.SectionApprovalWithdrawn,
)
"""They reopen a document if they take a section out of its rest; a proposed edit and another check do not."""

_WITHOUT_JOB = (
    e.SectionApprovalGiven,
    e.SectionApprovalWithdrawn,
    e.SectionRevisionRequested,
    e.SectionRetried,
    e.SectionCheckRequested,
    e.SectionEditRequested,
    e.SectionEditRejected,
    e.SectionEditVoided,
    e.SectionEditMerged,
    e.SectionRestored,
    e.SectionKept,
    e.SectionRegenerationRequested,
)


def section_applied(document: Document, event: e.AnySectionEvent) -> Document:
    before = document.sections[event.section_id]
    section = section_after(document, before, event)
    notes = notes_after(before.notes, event, document.time, aside=section.phase is before.phase)
    document = with_section(document, replace(section, notes=notes))
    if isinstance(event, e.SectionApprovalWithdrawn):
        document = _stopped(document, event.stops)
    if not isinstance(event, _WITHOUT_JOB) and event.job_id is not None:
        document = settled(document, event.job_id)
    at_its_end = document.lifecycle in (Lifecycle.COMPLETED, Lifecycle.FAILED)
    found_stale = (
        document.lifecycle is Lifecycle.COMPLETED and isinstance(event, e.SectionChecked) and event.makes_stale
    )
    reopens = isinstance(event, _REOPENING) and section.phase is not before.phase
    reopened = found_stale or (at_its_end and reopens)
    return replace(document, lifecycle=Lifecycle.RUNNING) if reopened else document


def _stopped(document: Document, names: Iterable[str]) -> Document:
    """Sections that were being written wait again, by the same guidance."""
    for section in (document.sections[name] for name in names):
        queued = Queued(guidance_of(section.phase), _tried(section.phase))
        document = with_section(document, replace(section, phase=queued))
    return document


def section_after(document: Document, section: Section, event: e.AnySectionEvent) -> Section:
    match event:
        case e.SectionDrafted() | e.SectionRevised() | e.SectionEdited() | e.SectionRestored():
            return with_author(document, section, _with_text(document, section, event), event)
        case e.SectionLintFailed() | e.SectionReviewRequested() | e.SectionApproved():
            return _with_verdict(document, section, event)
        case e.SectionApprovalGiven() | e.SectionApprovalWithdrawn():
            return _with_approvals(document, section, event)
        case e.SectionRevisionRequested() | e.SectionEditRequested():
            return _revising(document, section, event)
        case e.SectionRevisionRefused():
            return withdrawn(section, event) or replace(section, phase=_before(section.phase))
        case (
            e.SectionEditProposed()
            | e.SectionEditChecked()
            | e.SectionEditMerged()
            | e.SectionEditRejected()
            | e.SectionEditVoided()
        ):
            check = job_id(document, VALIDATE, section.plan.section_id)
            return after_proposal(section, event, check, document.time)
        case e.SectionFailure():
            return _failed(section, event)
        case e.SectionRetried() | e.SectionCheckRequested():
            return _retried(document, section, event)
        case e.SectionNeedRaised() | e.SectionNeedAnswered():
            return replace(section, phase=_phase_after(document, section, event))
        case e.SectionKept() | e.SectionChecked():
            return _kept(document, section, event) if isinstance(event, e.SectionKept) else _checked(section, event)
        case e.SectionRegenerationRequested():
            return replace(section, phase=Queued(event.guidance), checks={}, replaceable=not event.merges)
        case _:
            assert_never(event)


def _with_text(document: Document, section: Section, event: AnyTextEvent) -> Section:
    name, version = section.plan.section_id, version_of(document, section, event)
    validate, evaluate = job_id(document, VALIDATE, name), job_id(document, EVALUATE, name)
    match event:
        case e.SectionDrafted():
            generating = _generating(section.phase)
            version = version.model_copy(update={"requirements": generating.requirements}) if generating else version
            judged = {evaluate: Activity.EVALUATE} if event.merge else {}
            return _with_version(section, version, Validating(validate, generating), judged)
        case e.SectionRevised():
            revised = replace(section, revisions=section.revisions + 1)
            return _with_version(revised, version, Validating(validate), {evaluate: Activity.EVALUATE})
        case e.SectionEdited() | e.SectionRestored():
            decided = after_edit(section, event) if isinstance(event, e.SectionEdited) else section
            checks = {validate: Activity.VALIDATE, evaluate: Activity.EVALUATE}
            return _with_version(decided, version, AwaitingReview() if event.awaits_review else Edited(), checks)
        case _:
            assert_never(event)


def _with_version(section: Section, version: Version, phase: Phase, checks: dict[str, Activity]) -> Section:
    """A draft with the digest of the current version takes its place: the number goes on only for new text.

    Words that a person made stay that person's when a machine comes to the very same. A text whose conflicts a person
    settled as it stands is the same text without them.
    """
    current, given = section.current, section.replaceable and version.origin not in BY_A_PERSON
    section = replace(section, phase=phase, checks=checks, replaceable=False)
    if current is None or current.number != version.number:
        return replace(section, versions=(*section.versions, version))
    merge = version.merge or (Merge(theirs=current.merge.theirs) if current.merge else None)
    version = version.model_copy(update={"merge": merge, "renewed": current.renewed})
    if current.is_a_persons and version.origin not in BY_A_PERSON:
        kept = {"origin", "protected", "made_by", "verified", "restored_version"}
        version = version.model_copy(update={name: getattr(current, name) for name in kept})
    return replace(section, versions=(*section.versions[:-1], version), replaceable=given)


def _with_verdict(
    document: Document, section: Section, event: e.SectionLintFailed | e.SectionReviewRequested | e.SectionApproved
) -> Section:
    section = _with_validation(section, event.validation) if event.validation else section
    match event:
        case e.SectionLintFailed():
            return replace(section, phase=_next_round(document, section, event))
        case e.SectionReviewRequested():
            return replace(section, phase=AwaitingReview())
        case e.SectionApproved():
            return replace(with_approval(section, event, document.time), phase=Approved())
        case _:
            assert_never(event)


def _with_approvals(
    document: Document, section: Section, event: e.SectionApprovalGiven | e.SectionApprovalWithdrawn
) -> Section:
    if isinstance(event, e.SectionApprovalGiven):
        return with_approval(section, event, document.time)
    return replace(without_approval(section, event), phase=AwaitingReview())


def _next_round(document: Document, section: Section, event: e.SectionLintFailed) -> Phase:
    phase = section.phase
    if not isinstance(phase, Validating) or phase.generating is None:
        return phase
    job = job_id(document, GENERATE, section.plan.section_id)
    return replace(
        phase.generating,
        job_id=job,
        round=event.round,
        report=event.validation.report,
        tries=Tries(),
        quote_only=event.quote_only,
    )


def _revising(
    document: Document, section: Section, event: e.SectionRevisionRequested | e.SectionEditRequested
) -> Section:
    job = job_id(document, REVISE, section.plan.section_id)
    if isinstance(event, e.SectionEditRequested):
        if event.proposal_id is not None:
            return proposing(section, event, event.proposal_id, job, document.time)
        edit = event.result == "settled"
        phase = Revising(job, event.instruction, edit, before=_before(section.phase))
        return replace(section, phase=phase, checks={})
    revising = Revising(job, event.feedback, edit=False, before=AwaitingReview())
    return replace(section, phase=revising, checks={})


def _before(phase: Phase) -> Resting | Queued:
    """Where a section with a draft goes back to when an edit has no result: what was to be written still is."""
    match phase:
        case Revising():
            return phase.before
        case Approved() | Edited() | AwaitingReview():
            return phase
        case Queued() | Generating() | AwaitingAnswer() | NeedDispatched() | Resuming():
            return Queued(guidance_of(phase))
        case Validating() | Failed():
            return AwaitingReview()
        case _:
            assert_never(phase)


def _failed(section: Section, event: e.AnyFailure) -> Section:
    if event.job_id in section.checks:
        return replace(section, checks=_without(section, event.job_id))
    if (without := withdrawn(section, event)) is not None:
        return without
    match section.phase:
        case Revising():
            return replace(section, phase=section.phase.before)
        case Validating() as validating:
            return replace(section, phase=Failed(event.activity, validating))
        case Resuming() as resuming if not _is_hopeless(resuming, event):
            return replace(section, phase=Failed(event.activity, resuming, guidance_of(resuming)))
        case phase:
            return replace(section, phase=Failed(event.activity, guidance=guidance_of(phase), tries=_tried(phase)))


def _is_hopeless(resuming: Resuming, event: e.AnyFailure) -> bool:
    """Whether to resume that thread once more cannot succeed."""
    died_again = resuming.retried and isinstance(event, e.SectionJobDead)
    return died_again or isinstance(event, e.SectionThreadLost)


def _tried(phase: Phase) -> Tries:
    """What a writing from its beginning, after this one, need not ask for again."""
    match phase:
        case Generating():
            return begun_again(phase.tries, phase.job_id)
        case Resuming():
            return begun_again(phase.generating.tries, phase.thread_id)
        case _:
            return Tries()


def _retried(document: Document, section: Section, event: e.SectionRetried | e.SectionCheckRequested) -> Section:
    """What a person settled stays so while it is checked."""
    if isinstance(event, e.SectionRetried):
        return replace(section, phase=_tried_again(document, section))
    if isinstance(section.phase, AwaitingReview):
        return replace(section, phase=Validating(job_id(document, VALIDATE, section.plan.section_id)))
    return _looked_at_again(document, section)


def _tried_again(document: Document, section: Section) -> Phase:
    """The same work under another job; what was open before is superseded."""
    match section.phase:
        case Failed(again=Validating() as phase) | (Validating() as phase):
            return replace(phase, job_id=job_id(document, VALIDATE, section.plan.section_id))
        case Failed(again=Resuming() as phase):
            return replace(_resumed_again(document, section, phase), retried=True)
        case Generating() as phase:
            return replace(phase, job_id=job_id(document, GENERATE, section.plan.section_id), tries=_tried(phase))
        case Revising() as phase:
            tries = begun_again(phase.tries, phase.job_id)
            return replace(phase, job_id=job_id(document, REVISE, section.plan.section_id), tries=tries)
        case Resuming() as phase:
            return _resumed_again(document, section, phase)
        case NeedDispatched() as phase:
            return dispatched_again(phase, partial(_new_job, document, section))
        case Failed(guidance=guidance, tries=tries):
            return Queued(guidance, tries)
        case _:
            return Queued()


def _resumed_again(document: Document, section: Section, phase: Resuming) -> Resuming:
    job = job_id(document, RESUME, section.plan.section_id)
    tries = resumed_again(phase.generating.tries, phase.thread_id, job)
    return replace(phase, job_id=job, generating=replace(phase.generating, tries=tries))


def cancelled(section: Section) -> Section:
    """The section with nothing open: what was being made is not waited for any more."""
    section = replace(section, proposal=None)
    match section.phase:
        case Revising() as revising:
            return replace(section, phase=revising.before, checks={})
        case Generating() | NeedDispatched() | Resuming() | Validating() | AwaitingAnswer():
            return replace(section, phase=AwaitingReview() if section.current else Queued(), checks={})
        case _:
            return replace(section, checks={})


def _phase_after(
    document: Document,
    section: Section,
    event: e.SectionNeedRaised | e.SectionNeedAnswered,
) -> Phase:
    new_job = partial(_new_job, document, section)
    match event:
        case e.SectionNeedRaised():
            return after_need_raised(section.phase, event, new_job)
        case e.SectionNeedAnswered():
            return after_need_answered(section.phase, event, new_job)
        case _:
            assert_never(event)


def _new_job(document: Document, section: Section, job: str) -> str:
    return job_id(document, job, section.plan.section_id)


def _kept(document: Document, section: Section, event: e.SectionKept) -> Section:
    asked = asked_of(document, event.section_id)
    kept = {"rests_on": event.accepted, "kept_against": event.accepted, "requirements": asked}
    if event.inputs is None or section.current is None or event.inputs == section.current.inputs:
        return with_current(section, **kept)
    return _looked_at_again(document, with_current(section, **kept, inputs=event.inputs))


def _looked_at_again(document: Document, section: Section) -> Section:
    """With a check of what the text rests on in the inputs as they are now; an open one gives way to it."""
    if not isinstance(section.phase, Resting):
        return section
    others = {job: activity for job, activity in section.checks.items() if activity is not Activity.VALIDATE}
    job = job_id(document, VALIDATE, section.plan.section_id)
    return replace(section, checks={**others, job: Activity.VALIDATE})


def _checked(section: Section, event: e.SectionChecked) -> Section:
    section = replace(section, checks=_without(section, event.job_id))
    if event.validation is not None:
        section = _with_validation(section, event.validation)
    return with_current(section, evaluation=event.evaluation) if event.evaluation is not None else section


def _generating(phase: Phase) -> Generating | None:
    match phase:
        case Generating():
            return phase
        case Resuming():
            return phase.generating
        case _:
            return None


def _with_validation(section: Section, validation: ValidationSummary) -> Section:
    """The section with what was found of its text, which still rests on what an earlier look found that it does.

    That one saw the inputs as they were: a part that changed since is not found any more.
    """
    before = section.current.validation if section.current else None
    if before and before.used is not None and validation.used is not None:
        validation = validation.model_copy(update={"used": together(before.used, validation.used)})
    if before and before.used_upstream is not None and validation.used_upstream is not None:
        both = used_together(before.used_upstream, validation.used_upstream)
        validation = validation.model_copy(update={"used_upstream": both})
    return with_current(section, validation=validation, blocks=validation.blocks)


def _without(section: Section, job: str) -> dict[str, Activity]:
    return {name: activity for name, activity in section.checks.items() if name != job}


def notes_after(notes: Notes, event: e.AnySectionEvent, at: datetime | None, *, aside: bool) -> Notes:
    """The notes after an event about the section; ``aside`` says that it left the section's phase alone."""
    match event:
        case e.SectionEdited(awaits_review=True) | e.SectionRestored(awaits_review=True):
            return replace(_begun_anew(notes), waits_since=at)
        case e.SectionDrafted() | e.SectionRevised() | e.SectionEdited() | e.SectionRestored():
            return _begun_anew(notes)
        case e.SectionRegenerationRequested() | e.SectionEditRequested(result="proposed"):
            return _begun_anew(notes)
        case e.SectionRevisionRequested() | e.SectionEditRequested():
            return replace(_begun_anew(notes), asker=person_of(event))
        case e.SectionRetried() | e.SectionCheckRequested():
            return replace(notes, failure=None)
        case e.SectionFailure():
            return replace(notes, failure=LastFailure(event, aside))
        case e.SectionRevisionRefused():
            return replace(notes, refusal=event.reason)
        case e.SectionLintFailed():
            return replace(notes, lint_round=event.round)
        case e.SectionReviewRequested() | e.SectionNeedRaised() | e.SectionApprovalWithdrawn():
            return replace(notes, waits_since=at)
        case (
            e.SectionApproved()
            | e.SectionApprovalGiven()
            | e.SectionKept()
            | e.SectionChecked()
            | e.SectionNeedAnswered()
            | e.SectionEditProposed()
            | e.SectionEditChecked()
            | e.SectionEditMerged()
            | e.SectionEditRejected()
            | e.SectionEditVoided()
        ):
            return notes
        case _:
            assert_never(event)


def _begun_anew(notes: Notes) -> Notes:
    return replace(notes, failure=None, refusal=None)


def queued_notes(notes: Notes) -> Notes:
    return _begun_anew(notes)


def started_notes(notes: Notes) -> Notes:
    return replace(notes, failure=None, lint_round=0)
