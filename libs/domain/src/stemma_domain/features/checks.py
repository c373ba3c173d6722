"""Checks beside a section's status: a text that did not come from its graph is linted and evaluated too.

The results are shown and block nothing.
"""

from collections.abc import Iterator
from typing import Any

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.staleness import UpstreamVersion
from stemma_contracts.v1.validation import ValidationSummary

from stemma_domain.features.inputs.material import evidence_of
from stemma_domain.features.ledger.answering import asked_of
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import (
    EVALUATE,
    VALIDATE,
    failed,
    grounds,
    head_of,
    images_of,
    paid,
    rests_on,
    unfitting,
    upstream_drafts,
)
from stemma_domain.state import Document, Section, status_of


def work(document: Document) -> Iterator[Work]:
    """The checks of current versions that are open."""
    for section in document.sections.values():
        for job_id, activity in section.checks.items():
            yield job_id, _TASKS[activity], (document, section, job_id)


def _checked(document: Document, section: Section, job_id: str, outcome: o.Outcome) -> e.AnyEvent:
    """The result of a check is shown and changes no status, also when there is none."""
    version, activity = section.current_number, section.checks[job_id]
    match outcome, activity:
        case o.JobDead(), Activity.VALIDATE:
            return e.SectionChecked(**paid(outcome, section), version=version, validation=_given_up(section, outcome))
        case o.DraftValidated(), Activity.VALIDATE:
            return e.SectionChecked(**paid(outcome, section), version=version, validation=outcome.validation)
        case o.DraftEvaluated(), Activity.EVALUATE:
            return e.SectionChecked(**paid(outcome, section), version=version, evaluation=outcome.evaluation)
        case ((o.ModelUnavailable() | o.AnswerMalformed() | o.ContextTooLong() | o.InputsMissing() | o.JobDead()), _):
            return failed(outcome, section, activity, status_of(section.phase))
        case _:
            raise unfitting(outcome)


def _given_up(section: Section, outcome: o.JobDead) -> ValidationSummary:
    """What an earlier check found of the same text stands, but it is not all that was to be found."""
    known, given_up = (
        section.current.validation if section.current else None,
        ValidationSummary.given_up(outcome.detail),
    )
    update = {"passed": False, "not_checked": given_up.not_checked, "answers": None}
    return known.model_copy(update=update) if known else given_up


def validation(document: Document, section: Section, job_id: str) -> j.ValidateDraft:
    return j.ValidateDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=section.versions[-1].draft,
        assets=tuple(image.name for image in images_of(document)),
        history=_draft_history(section),
        left_out=section.current.left_out if section.current else None,
        ledger=document.ledger.rows if document.ledger else None,
        requirements=tuple(asked_of(document, section.plan.section_id)),
        others=_others(document, section),
        **grounds(document, rests_on(section)),
    )


MOST_COMPARED = 30
"""Sections that the sums of a draft are held against: first those that gather amounts."""


def _others(document: Document, section: Section) -> tuple[j.UpstreamDraft, ...]:
    written = [one for one in document.sections.values() if one.current and one is not section and not one.plan.form]
    priced = sorted(written, key=lambda one: "amounts" not in one.plan.collects)[:MOST_COMPARED]
    versions = (UpstreamVersion(section_id=one.plan.section_id, version=one.current_number) for one in priced)
    return upstream_drafts(document, versions)


def _draft_history(section: Section) -> j.DraftHistory:
    """What the blocks of the current version take their ids from: the drafts since the last that has blocks."""
    earlier = section.versions[:-1]
    known = max((place for place, version in enumerate(earlier) if version.blocks), default=0)
    since = earlier[known:]
    return j.DraftHistory(
        blocks=since[0].blocks if since else None,
        drafts=tuple(version.draft for version in since),
    )


def _evaluation(document: Document, section: Section, job_id: str) -> j.EvaluateDraft:
    return j.EvaluateDraft(
        job_id=job_id,
        document=head_of(document),
        section=section.plan,
        version=section.current_number,
        draft=section.versions[-1].draft,
        brief=document.brief,
        inputs=evidence_of(document),
        outline=document.outline,
        upstream=upstream_drafts(document, rests_on(section)),
    )


_TASKS = {Activity.VALIDATE: Task(validation, _checked), Activity.EVALUATE: Task(_evaluation, _checked, is_aside=True)}

FEATURE: Feature[Any] = Feature(work=work, job_owners={VALIDATE: subjects.VALIDATOR, EVALUATE: subjects.GENERATION})
