"""Generation: a section is written by its graph once all that it rests on is settled, and then validated.

Its events are folded in `sections.py`.
"""

from collections.abc import Collection, Container, Sequence
from typing import TypedDict

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.evaluation import COMPLETE, Evaluation, ProgramCheck
from stemma_contracts.v1.provenance import ROLE_MISSING, GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.section import Activity, SectionPlan, SectionStatus
from stemma_contracts.v1.validation import OPEN_HEADING, ValidationSummary
from stemma_contracts.v1.views import is_unchecked

from stemma_domain.blueprints.planning import QUOTING_GRAPHS
from stemma_domain.commands import Asked, of_status, refused_section
from stemma_domain.dependencies import unsettled
from stemma_domain.features.inputs.material import brief_file, evidence_of, internal_of, lacks_form, manner_of
from stemma_domain.hooks import Feature, Task
from stemma_domain.jobs import (
    GENERATE,
    RESUME,
    Failure,
    failed,
    head_of,
    paid,
    recorded,
    settled,
    unfitting,
    upstream_drafts,
)
from stemma_domain.staleness import Staleness
from stemma_domain.state import (
    Document,
    Failed,
    Generating,
    Resuming,
    Section,
    Validating,
    Working,
    status_of,
)
from stemma_domain.texts import next_version

from .checks import validation
from .cycles import human_feedback


def decide(command: Asked[r.RetrySection], document: Document) -> Sequence[e.AnyEvent]:
    """A failed section is tried again, one whose job never comes to an end, and a check that did not find all out."""
    name = command.request.section_id
    section = document.sections[name]
    if isinstance(section.phase, Failed | Working):
        return [e.SectionRetried(**command.asked, section_id=name)]
    if is_unchecked(status_of(section.phase), section.current.validation if section.current else None):
        return [e.SectionCheckRequested(**command.asked, section_id=name)]
    return [refused_section(command, of_status(section))]


def is_met(document: Document, section: Section, stale: Staleness) -> bool:
    """Whether every direct upstream is settled and not stale."""
    return not held_up_by(document, section, stale)


def held_up_by(document: Document, section: Section, stale: Staleness) -> tuple[str, ...]:
    """The direct upstreams that have to be settled before the section is written."""
    return _unsettled(document, section.plan.depends_on, stale)


def all_settled(document: Document) -> bool:
    """Whether a person or a policy has settled the current version of every section that is needed."""
    return not _unsettled(
        document, [name for name, section in document.sections.items() if not lacks_form(document, section)]
    )


def _unsettled(document: Document, names: Collection[str], stale: Container[str] = ()) -> tuple[str, ...]:
    return unsettled(names, {name: status_of(document.sections[name].phase) for name in names}, stale)


def validated(
    outcome: o.DraftValidated, section: Section, generating: Generating | None, *, in_cycles: bool
) -> e.SectionLintFailed | e.SectionApproved | e.SectionReviewRequested:
    """The event of a validation; a draft that no graph is writing has its reviewer.

    A text of which too much is without support after the last round is replaced by quotations once. What could not be
    checked in full goes to a person under every policy, and so does a heading that is open only: to write it again
    would mend nothing.
    """
    common, version, validation = settled(outcome, section), section.current_number, outcome.validation
    can_mend = validation.complete and validation.rules.keys() != {OPEN_HEADING}
    if generating and can_mend and not validation.passed and not generating.quote_only:
        has_rounds = generating.round < section.plan.max_lint_rounds and not _mended_nothing(validation, generating)
        if has_rounds or _says_too_much(validation, section.plan):
            return e.SectionLintFailed(
                **common,
                version=version,
                validation=validation,
                round=generating.round + 1,
                quote_only=not has_rounds,
            )
    if generating and _settled_by_policy(section, in_cycles) and _is_sound(validation, section.plan):
        return e.SectionApproved(**common, version=version, validation=validation, by_policy=True)
    return e.SectionReviewRequested(**common, version=version, validation=validation)


def _mended_nothing(validation: ValidationSummary, generating: Generating) -> bool:
    """Whether the last round has the report of the one before: another would be asked for in the same words."""
    before, now = generating.report, validation.report
    return before is not None and now is not None and now.digest == before.digest


def _says_too_much(validation: ValidationSummary, plan: SectionPlan) -> bool:
    """Whether more is without support than a person should have to mend: the inputs are quoted instead."""
    is_prose = plan.graph in QUOTING_GRAPHS and plan.form is None
    return is_prose and plan.max_unsupported is not None and validation.without_support > plan.max_unsupported


def never_validated(outcome: o.JobDead, section: Section) -> e.SectionReviewRequested:
    """The event of a check that was given up after its tries: a person has the draft, and is told."""
    unchecked = ValidationSummary.given_up(outcome.detail)
    return e.SectionReviewRequested(**settled(outcome, section), version=section.current_number, validation=unchecked)


def _is_sound(validation: ValidationSummary, plan: SectionPlan) -> bool:
    """Nothing was found: for an amount or a date that nothing supports, and for what is lost, a person has to stand.

    Where nobody could find out what of the inputs is lost, some of it may be: there is no coverage, or a part of the
    inputs is in another language than the text.
    """
    coverage = validation.coverage
    lost = plan.covers_inputs if coverage is None else coverage.missing_blocks + coverage.not_comparable > 0
    return validation.passed and not lost and not validation.unsupported.keys() & {"amount", "date"}


def _settled_by_policy(section: Section, in_cycles: bool) -> bool:
    """A failed evaluation always goes to a person; a text without a judgement goes on where nobody has to judge.

    Where a review judges the sections in cycles, an evaluation is shown and stops none of them. A text that lacks a
    part goes to a person everywhere, and so does one that was merged with a person's words.
    """
    current, policy = section.current, section.plan.review
    evaluation: Evaluation | None = current.evaluation if current and not current.merge else None
    if evaluation is None or policy.mode is ReviewMode.HUMAN or _lacks_a_part(evaluation):
        return False
    if policy.mode is ReviewMode.NONE:
        return in_cycles or not evaluation.judged or evaluation.passed
    return evaluation.judged and evaluation.passed and evaluation.score >= policy.min_score


def _lacks_a_part(evaluation: Evaluation) -> bool:
    return any(check.check == COMPLETE and not check.passed for check in evaluation.checks)


class _Requirements(TypedDict):
    ledger: ArtifactRef | None
    requirements: tuple[str, ...]


def _generate(document: Document, section: Section, phase: Generating) -> j.GenerateSection:
    return filled_from(
        j.GenerateSection,
        document,
        phase,
        document=head_of(document),
        section=section.plan,
        brief_file=brief_file(document),
        inputs=evidence_of(document),
        manner=manner_of(document),
        internal=internal_of(document),
        outline=document.outline,
        upstream=upstream_drafts(document, phase.upstream),
        guidance=phase.guidance or human_feedback(document),
        previous=section.current.draft if _changes_its_text(document, phase) and section.current else None,
        report=None if phase.quote_only else phase.report,
        revision_feedback=document.cycle.revision_feedback if document.cycle else None,
        unmet_review=document.cycle.unmet_review if document.cycle else None,
        thread_id=phase.job_id,
        **recorded(phase.tries),
        answered_before=phase.tries.answers,
        **_requirements(document, section),
    )


def _changes_its_text(document: Document, phase: Generating) -> bool:
    """Whether the graph is given the last text: in a round that mends it, and in a cycle that answers a review."""
    if phase.quote_only:
        return False
    return phase.round > 0 or (document.cycle is not None and document.cycle.revision_feedback is not None)


def _requirements(document: Document, section: Section) -> _Requirements:
    ledger = document.ledger
    assigned = ledger.assigned_to(section.plan.section_id) if ledger else ()
    return _Requirements(ledger=ledger.rows if ledger and assigned else None, requirements=assigned)


def _resume(document: Document, section: Section, phase: Resuming) -> j.ResumeGraph:
    return filled_from(
        j.ResumeGraph,
        phase,
        document=head_of(document),
        section=section.plan,
        **recorded(phase.generating.tries),
        answered_before=phase.generating.tries.answers,
    )


def _validate(document: Document, section: Section, phase: Validating) -> j.ValidateDraft:
    return validation(document, section, phase.job_id)


def _resumed(document: Document, section: Section, phase: Resuming, outcome: o.Outcome) -> e.AnyEvent:
    return _written(document, section, phase.generating, outcome)


def _written(document: Document, section: Section, generating: Generating, outcome: o.Outcome) -> e.AnyEvent:
    match outcome:
        case o.SectionGenerated():
            return _drafted(document, section, generating, outcome)
        case o.GraphPaused():
            return e.SectionNeedRaised(**paid(outcome, section), thread_id=outcome.thread_id, need=outcome.need)
        case _ if isinstance(outcome, Failure):
            return failed(outcome, section, Activity.GENERATE, SectionStatus.FAILED)
        case _:
            raise unfitting(outcome)


def _still_missing(document: Document, section: Section, generating: Generating) -> tuple[GenerationWarning, ...]:
    """The parts that a changed text lacks as the last text did: no role writes again."""
    if section.current is None or not _changes_its_text(document, generating):
        return ()
    return tuple(warning for warning in section.current.warnings if warning.code in ROLE_MISSING)


def _drafted(
    document: Document, section: Section, generating: Generating, outcome: o.SectionGenerated
) -> e.SectionDrafted:
    missing = _still_missing(document, section, generating)
    partial = outcome.partial or bool(missing)
    return filled_from(
        e.SectionDrafted,
        generating,
        outcome,
        **paid(outcome, section),
        version=next_version(section, outcome.draft),
        evaluation=_incomplete(outcome.evaluation) if partial else outcome.evaluation,
        partial=partial,
        warnings=tuple(dict.fromkeys((*missing, *outcome.warnings))),
    )


def _incomplete(evaluation: Evaluation) -> Evaluation:
    """The same for a text that lacks a part, whatever was found of the rest: no policy settles it."""
    others = tuple(check for check in evaluation.checks if check.check != COMPLETE)
    checks = (*others, ProgramCheck(check=COMPLETE, passed=False))
    return evaluation.model_copy(update={"passed": False, "checks": checks})


def _validated(document: Document, section: Section, phase: Validating, outcome: o.Outcome) -> e.AnyEvent:
    if isinstance(outcome, o.DraftValidated):
        return validated(outcome, section, phase.generating, in_cycles=document.cycle is not None)
    if isinstance(outcome, o.JobDead):
        return never_validated(outcome, section)
    raise unfitting(outcome)


GENERATING = Task(_generate, _written)
"""The section's graph runs."""
RESUMING = Task(_resume, _resumed)
"""Its paused graph goes on."""
VALIDATING = Task(_validate, _validated)
"""The validator looks at its draft."""

FEATURE = Feature[Asked[r.RetrySection]](
    requests=(r.RetrySection,),
    decide=decide,
    phases={Generating: GENERATING, Resuming: RESUMING, Validating: VALIDATING},
    job_owners={GENERATE: subjects.GENERATION, RESUME: subjects.GENERATION},
    may_start=is_met,
    may_end=all_settled,
)
