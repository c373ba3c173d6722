"""The sections of a document for which nobody gave an outline: the chapters that a request demands, if one does."""

from collections.abc import Sequence
from dataclasses import replace

from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.outline import AskedChapters, OutlineSection
from stemma_contracts.v1.section import SectionPlan

from stemma_domain.blueprints.outlines import InvalidOutline, plan_outline
from stemma_domain.blueprints.planning import Blueprint, BlueprintSection, title_key
from stemma_domain.features.inputs.material import requests_of
from stemma_domain.state import Document, Lifecycle, Queued, Section


def is_first_reading_open(document: Document) -> bool:
    """Whether the requests, or files that may be requests, are still to be read for the first time."""
    ledger = document.ledger
    if document.lifecycle is Lifecycle.CANCELLED:
        return False
    if ledger is None:
        return any(one.is_awaited for one in document.inputs.values()) or bool(requests_of(document))
    return ledger.rows is None and ledger.job_id is not None


def awaits_chapters(document: Document) -> bool:
    """Whether a request may still replace the sections: none of them is begun before."""
    return is_first_reading_open(document) and _may_be_outlined(document)


def planned_chapters(document: Document, chapters: AskedChapters | None) -> tuple[SectionPlan, ...]:
    """The sections of the document with the chapters in place of those of its kind; none if they stay as they are."""
    ledger = document.ledger
    first = ledger is not None and ledger.rows is None
    if chapters is None or not first or not _may_be_outlined(document):
        return ()
    plans = [section.plan for section in document.sections.values() if section.plan.form is None]
    forms = [section.plan for section in document.sections.values() if section.plan.form is not None]
    try:
        planned = plan_outline(_blueprint(plans), {one.section_id: one.depends_on for one in plans}, _once(chapters))
    except InvalidOutline:
        return ()
    names = {plan.section_id for plan in planned}
    if any(form.section_id in names or not names.issuperset(form.depends_on) for form in forms):
        return ()
    return (*planned, *forms)


def outlined(document: Document, event: e.RequirementsRead) -> Document:
    """The document with these sections; that of a form stays as it is."""
    sections = {
        plan.section_id: replace(document.sections.get(plan.section_id) or Section(plan), plan=plan)
        for plan in event.sections
    }
    return replace(document, sections=sections, outlined_by=event.outlined_by)


def _may_be_outlined(document: Document) -> bool:
    return document.chapters_from_request and all(
        section.plan.form is not None or section == Section(section.plan, Queued())
        for section in document.sections.values()
    )


def _once(chapters: AskedChapters) -> Sequence[OutlineSection]:
    return tuple({title_key(one.title): one for one in reversed(chapters.sections)}.values())[::-1]


def _blueprint(plans: Sequence[SectionPlan]) -> Blueprint:
    """The kind again, as far as the plans tell: its sections, and what holds for all others."""
    sections = (
        filled_from(BlueprintSection, plan, id=plan.section_id, purpose=plan.purpose or plan.title) for plan in plans
    )
    return filled_from(Blueprint, plans[0], kind="chapters", sections=tuple(sections))
