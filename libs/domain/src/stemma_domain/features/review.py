"""Review: a person approves the draft of a section or has it revised, bound to the version that the person saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import LONG_ANSWER, UNACCEPTED_ANSWER

from stemma_domain.commands import VersionCommand, by_status, old_version, refused
from stemma_domain.hooks import Feature
from stemma_domain.state import AwaitingReview, Document, Section

from .cycles import may_be_approved, revise_all


@dataclass(frozen=True)
class Approve(VersionCommand):
    request = requests.ApproveSection


@dataclass(frozen=True)
class Revise(VersionCommand):
    request = requests.ReviseSection
    feedback: ArtifactRef
    cycle: bool = False
    replace_edited: bool = False


ReviewCommand = Approve | Revise


def decide(command: ReviewCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a review, or the refusal that names the reason."""
    section = document.sections[command.section_id]
    return [_not_reviewable(command, section) or _reviewed(command, document, section)]


def _not_reviewable(command: ReviewCommand, section: Section) -> e.AnyRefusal | None:
    if refusal := old_version(command, section.current_number):
        return refusal
    return None if isinstance(section.phase, AwaitingReview) else by_status(command, section)


def _reviewed(command: ReviewCommand, document: Document, section: Section) -> e.AnyEvent:
    match command:
        case Approve():
            return _approve(command, document, section)
        case Revise(cycle=True):
            return _revise_all(command, document)
        case Revise():
            return _revise(command, section)
        case _:
            assert_never(command)


def _approve(command: Approve, document: Document, section: Section) -> e.AnyEvent:
    if not may_be_approved(document, command.section_id):
        return by_status(command, section)
    if long := _answers_found(section, LONG_ANSWER):
        return e.RefusedLongAnswers(**refused(command, command.section_id), answers=long)
    if unaccepted := _answers_found(section, UNACCEPTED_ANSWER):
        return e.RefusedUnacceptedAnswers(**refused(command, command.section_id), answers=unaccepted)
    return e.SectionApproved(**command.asked, section_id=command.section_id, version=command.version)


def _answers_found(section: Section, rule: str) -> int:
    """How many answers to fields of a form a rule was found broken by."""
    validation = section.current.validation if section.plan.form and section.current else None
    return validation.rules.get(rule, 0) if validation else 0


def _revise(command: Revise, section: Section) -> e.AnyEvent:
    if section.revisions >= section.plan.max_revisions:
        return e.RefusedRevisionLimit(**refused(command, command.section_id), max_revisions=section.plan.max_revisions)
    return e.SectionRevisionRequested(
        **command.asked, section_id=command.section_id, version=command.version, feedback=command.feedback
    )


def _revise_all(command: Revise, document: Document) -> e.AnyEvent:
    cycle = document.cycle
    if cycle is None or command.section_id != cycle.plan.final_section:
        return e.RefusedNoCycle(**refused(command, command.section_id))
    return revise_all(command.asked, document, cycle, command.feedback, replace_edited=command.replace_edited)


FEATURE = Feature[ReviewCommand](commands=(Approve, Revise), decide=decide)
