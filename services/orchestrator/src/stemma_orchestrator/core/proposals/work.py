"""The work of proposals: the editor makes one, the validator checks it, and what their outcomes mean."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.section import Activity
from stemma_document.proposal_state import Proposed, Proposing
from stemma_document.state import Document, Section, status_of
from stemma_document.tries import NO_TRIES

from stemma_orchestrator.core.checks import validation
from stemma_orchestrator.core.editing import revision
from stemma_orchestrator.core.hooks import Task, Work
from stemma_orchestrator.core.outcomes import failed, paid, unfitting


def work(document: Document) -> Iterator[Work]:
    """The jobs of proposals that are being made or checked."""
    for section in document.sections.values():
        proposal = section.proposal
        if isinstance(proposal, Proposing):
            yield proposal.job_id, _MAKING, (document, section, proposal)
        elif isinstance(proposal, Proposed) and proposal.check is not None:
            yield proposal.check, _CHECKING, (document, section, proposal)


def _revise(document: Document, section: Section, proposal: Proposing) -> j.ReviseDraft:
    return revision(document, section, proposal.job_id, proposal.instruction, NO_TRIES)


def _validate(document: Document, section: Section, proposal: Proposed) -> j.ValidateDraft:
    """The check that the text would have as a version; ids of blocks are given to versions alone."""
    assert proposal.check is not None
    check = validation(document, section, proposal.check)
    return check.model_copy(update={"draft": proposal.draft, "history": None})


def _made(document: Document, section: Section, proposal: Proposing, outcome: o.Outcome) -> e.AnyEvent:
    """What the editor made is proposed; when it made nothing, the section is as it was."""
    match outcome:
        case o.DraftRevised():
            return _proposed(section, proposal, outcome)
        case o.InstructionRefused():
            return e.SectionRevisionRefused(
                **paid(outcome, section),
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                reason=outcome.reason,
            )
        case o.ModelUnavailable() | o.AnswerMalformed() | o.ContextTooLong() | o.JobDead():
            return failed(outcome, section, Activity.EDIT, status_of(section.phase), proposal.proposal_id)
        case _:
            raise unfitting(outcome)


def _proposed(section: Section, proposal: Proposing, outcome: o.DraftRevised) -> e.SectionEditProposed:
    assert section.current is not None
    return e.SectionEditProposed(
        **paid(outcome, section),
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        base_digest=section.current.draft.digest,
        draft=outcome.draft,
        summary=outcome.summary,
        provenance=outcome.provenance,
        to_be_checked=True,
    )


def _checked(document: Document, section: Section, proposal: Proposed, outcome: o.Outcome) -> e.SectionEditChecked:
    """What is found of a proposed text is shown; the proposal waits on, also when nothing could be found out."""
    if not isinstance(outcome, o.DraftValidated | o.JobDead):
        raise unfitting(outcome)
    return e.SectionEditChecked(
        **paid(outcome, section),
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        validation=outcome.validation if isinstance(outcome, o.DraftValidated) else None,
        detail=outcome.detail if isinstance(outcome, o.JobDead) else "",
    )


_MAKING = Task(_revise, _made)
_CHECKING = Task(_validate, _checked)
