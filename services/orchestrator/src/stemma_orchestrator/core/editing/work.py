"""The work of the editor agent: a revision or an edit of the current version, and what its outcome means."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import Activity
from stemma_document.state import Document, Revising, Section, status_of
from stemma_document.tries import Tries
from stemma_document.versions import next_version

from stemma_orchestrator.core.hooks import Task
from stemma_orchestrator.core.job_parts import head_of, recorded, rests_on, upstream_drafts
from stemma_orchestrator.core.outcomes import Failure, Paid, failed, paid, unfitting


class _Result(Paid):
    version: int
    draft: ArtifactRef
    summary: ArtifactRef
    provenance: Provenance


def _revise(document: Document, section: Section, phase: Revising) -> j.ReviseDraft:
    return revision(document, section, phase.job_id, phase.instruction, phase.tries)


def revision(
    document: Document, section: Section, job_id: str, instruction: ArtifactRef, tries: Tries
) -> j.ReviseDraft:
    """The job that revises the current version by an instruction."""
    return j.ReviseDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=section.versions[-1].draft,
        instruction=instruction,
        brief=document.brief,
        upstream=upstream_drafts(document, rests_on(section)),
        report=section.current.validation.report if section.current and section.current.validation else None,
        **recorded(tries),
    )


def _revised(document: Document, section: Section, phase: Revising, outcome: o.Outcome) -> e.AnyEvent:
    """An edit is settled at once, a revision goes back to its reviewer; without a result all is as it was before."""
    match outcome:
        case o.DraftRevised() if phase.edit:
            return e.SectionEdited(**_result(outcome, section), origin=Origin.EDITED, upstream=rests_on(section))
        case o.DraftRevised():
            return e.SectionRevised(**_result(outcome, section))
        case o.InstructionRefused():
            version = section.current_number
            return e.SectionRevisionRefused(**paid(outcome, section), version=version, reason=outcome.reason)
        case _ if isinstance(outcome, Failure):
            return failed(outcome, section, Activity.EDIT, status_of(phase.before))
        case _:
            raise unfitting(outcome)


def _result(outcome: o.DraftRevised, section: Section) -> _Result:
    return _Result(
        **paid(outcome, section),
        version=next_version(section, outcome.draft),
        draft=outcome.draft,
        summary=outcome.summary,
        provenance=outcome.provenance,
    )


REVISING = Task(_revise, _revised)
"""The editor agent is at work on the section."""
