"""Which demands the sections of a document answer: what a person says goes first, what code finds in a text second."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import (
    AnsweredRows,
    AnswerStatus,
    RequirementAnswer,
    RequirementChange,
    RowParts,
    Suspicion,
)
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import RowView

from stemma_domain.jobs import VALIDATE, job_id
from stemma_domain.state import Document, Resting, Section, Version

from .state import Ledger, Sought, Standing, Wordings

NO_LEDGER = Ledger()
_NOTHING = Sought(0)
_DECIDED = {"confirmed", "dropped", "merged_into", "section_id", "owner"}


def asked_of(document: Document, section_id: str) -> Wordings:
    """The rows that a section has to answer, as they read now."""
    ledger = document.ledger
    return {name: ledger.wording(name) for name in ledger.assigned_to(section_id)} if ledger else {}


def row_of(document: Document, requirement_id: str) -> RowView:
    """What became of a row: what people decided, and how its answer stands."""
    ledger = document.ledger or NO_LEDGER
    standing = ledger.standing(requirement_id)
    section = document.sections.get(standing.section_id)
    version = section.current if section else None
    found = _found(version, ledger, requirement_id) if version else _NOTHING
    status = _status(ledger, requirement_id, version.draft.digest if version else "", found)
    number = version.number if version and found.block_id else 0
    decided = standing.model_dump(include=_DECIDED)
    suspect = tuple(_suspicions(standing, ledger.wording(requirement_id), version))
    return RowView(**decided, status=status, version=number, block_id=found.block_id, suspect=suspect)


def _suspicions(standing: Standing, wording: int, version: Version | None) -> Iterator[Suspicion]:
    """What changed since somebody looked; a first text is no change, for code looks whether it is an answer."""
    if not standing.counts or standing.looked is None:
        return
    if standing.looked != wording:
        yield "demand"
    if version is not None and standing.looked_of not in ("", version.draft.digest):
        yield "section"


def answered_rows(document: Document) -> tuple[AnsweredRows, ...]:
    """The rows that count, by the section that answers them and how that stands."""
    ledger = document.ledger or NO_LEDGER
    groups: dict[tuple[str, AnswerStatus], list[str]] = {}
    for name in ledger:
        if (now := ledger.standing(name)).counts:
            groups.setdefault((now.section_id, row_of(document, name).status), []).append(name)
    return tuple(_answered(section_id, status, tuple(ids)) for (section_id, status), ids in groups.items())


def _answered(section_id: str, status: AnswerStatus, ids: tuple[str, ...]) -> AnsweredRows:
    if status == "check":
        return AnsweredRows(section_id=section_id, status="open", unsure=True, requirement_ids=ids)
    return AnsweredRows(section_id=section_id, status=status, requirement_ids=ids)


def answering_blocks(document: Document) -> tuple[RequirementAnswer, ...]:
    """The rows that count and whose answer was found, with the block of the current version of their section."""
    ledger = document.ledger or NO_LEDGER
    found = ((name, row_of(document, name).block_id) for name in ledger if ledger.standing(name).counts)
    return tuple(RequirementAnswer(requirement_id=name, block_id=block) for name, block in found if block)


def open_mandatory(document: Document) -> tuple[str, ...]:
    """The rows that must be answered and are not, as far as anybody said or code is sure."""
    ledger = document.ledger or NO_LEDGER
    return tuple(
        name
        for name in ledger.summary.mandatory
        if ledger.standing(name).counts and row_of(document, name).status in ("open", "check")
    )


def changed_requirements(document: Document, section: Section) -> tuple[RequirementChange, ...]:
    """The rows that the current version of a section was not written for as they are, as far as people left them it.

    A row that it was given later makes it stale only once it was looked for in its text, and not found.
    """
    ledger, version, name = document.ledger, section.current, section.plan.section_id
    if ledger is None or version is None:
        return ()
    asked, rests_on = asked_of(document, name), version.requirements
    gone = (row for row in rests_on if row not in ledger.row_ids and ledger.standing(row).section_id == name)
    changed = (row for row, wording in asked.items() if rests_on.get(row, wording) != wording)
    given = (row for row in asked.keys() - rests_on.keys() if _is_missing(document, version, row))
    return (
        *(RequirementChange(requirement_id=row, change="withdrawn") for row in gone),
        *(RequirementChange(requirement_id=row, change="changed") for row in changed),
        *(RequirementChange(requirement_id=row, change="assigned") for row in sorted(given)),
    )


def sought_again(document: Document, event: e.AnyEvent) -> Document:
    """The document with what an event's validation found, and a check of each section whose rows are to be looked for.

    A check that says nothing of rows is not repeated: whoever made it does not look for any.
    """
    match event:
        case e.RequirementsRead() | e.RequirementsDecided():
            sections = {name: _to_check(document, section) for name, section in document.sections.items()}
            return replace(document, sections=sections)
        case e.RequirementsSplit():
            cut = {name: _with_parts(section, event.splits) for name, section in document.sections.items()}
            sections = {name: _to_check(document, section) for name, section in cut.items()}
            return replace(document, sections=sections)
        case e.SectionReviewRequested() | e.SectionApproved() | e.SectionChecked():
            section = _with_found(document, document.sections[event.section_id], event.validation)
            looked = event.validation is not None and event.validation.answers is not None
            if looked or not isinstance(event, e.SectionChecked):
                section = _to_check(document, section)
            return replace(document, sections={**document.sections, event.section_id: section})
        case _:
            return document


def _with_parts(section: Section, splits: Iterable[RowParts]) -> Section:
    """What was written for a row was written for its parts; each of them is looked for by itself."""
    versions = section.versions
    for split in splits:
        versions = tuple(_version_with_parts(version, split) for version in versions)
    return replace(section, versions=versions)


def _version_with_parts(version: Version, split: RowParts) -> Version:
    sought = {name: found for name, found in version.sought.items() if name != split.requirement_id}
    parts = dict.fromkeys(split.parts, 0) if split.requirement_id in version.requirements else {}
    return version.model_copy(update={"sought": sought, "requirements": {**version.requirements, **parts}})


def _found(version: Version, ledger: Ledger, requirement_id: str) -> Sought:
    sought = version.sought.get(requirement_id)
    return sought if sought and sought.wording == ledger.wording(requirement_id) else _NOTHING


def _is_missing(document: Document, version: Version, requirement_id: str) -> bool:
    return requirement_id in version.sought and row_of(document, requirement_id).status == "open"


def _status(ledger: Ledger, requirement_id: str, text: str, found: Sought) -> AnswerStatus:
    """A person's word that there is an answer is about a text; it stands in the next one if code is sure of one."""
    said, is_found = ledger.said(requirement_id), bool(found.block_id)
    if said in ("open", "not_applicable"):
        return said
    if said is not None and ((is_found and found.sure) or ledger.standing(requirement_id).said_of == text):
        return said
    if not is_found:
        return "open"
    return "addressed" if found.sure else "check"


def _with_found(document: Document, section: Section, validation: ValidationSummary | None) -> Section:
    """What a validation looked for counts if the ledger is still what it was."""
    ledger, version = document.ledger, section.current
    answers = validation.answers if validation else None
    if answers is None or version is None or ledger is None or ledger.rows is None:
        return section
    found = {one.requirement_id: one for one in answers.found}
    names = answers.sought if answers.rows_digest == ledger.rows.digest else ()
    sought = {name: _sought(ledger.wording(name), found.get(name)) for name in names}
    answered = {name: ledger.wording(name) for name in names if name in found}
    version = version.model_copy(update={"sought": sought, "requirements": {**answered, **version.requirements}})
    return replace(section, versions=(*section.versions[:-1], version))


def _sought(wording: int, found: RequirementAnswer | None) -> Sought:
    return Sought(wording, found.block_id, found.sure) if found else Sought(wording)


def _to_check(document: Document, section: Section) -> Section:
    """With a check, if rows that it has to answer were not looked for in its text: an open one gives way to it."""
    version, asked = section.current, asked_of(document, section.plan.section_id)
    if version is None or not isinstance(section.phase, Resting):
        return section
    if asked.items() <= {name: sought.wording for name, sought in version.sought.items()}.items():
        return section
    others = {job: activity for job, activity in section.checks.items() if activity is not Activity.VALIDATE}
    job = job_id(document, VALIDATE, section.plan.section_id)
    return replace(section, checks={**others, job: Activity.VALIDATE})


def texts(document: Document, shown: int | None = None) -> Mapping[str, str]:
    """The digests of what is written, or was as of a sequence, by section."""
    then = {
        name: [one for one in section.versions if shown is None or one.current_from <= shown]
        for name, section in document.sections.items()
    }
    return {name: versions[-1].draft.digest for name, versions in then.items() if versions}
