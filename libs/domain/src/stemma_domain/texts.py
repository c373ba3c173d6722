"""From an event that brings a text to the version that it is: its number, its author, what it rests on."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.inputs import InputVersion
from stemma_contracts.v1.proofs import Settlement
from stemma_contracts.v1.provenance import ROLE_MISSING, GenerationWarning, Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.staleness import UpstreamVersion

from .features.inputs.material import input_versions
from .features.ledger.answering import asked_of
from .features.ledger.state import Wordings
from .state import Document, Section, Version, person_of


def next_version(section: Section, draft: ArtifactRef) -> int:
    """One more, but only if the text is another."""
    current = section.current
    if current is None:
        return 1
    return current.number if current.draft.digest == draft.digest else current.number + 1


def with_current(section: Section, **changes: object) -> Section:
    """The section with its current version changed, if it has one."""
    if section.current is None:
        return section
    return replace(section, versions=(*section.versions[:-1], section.current.model_copy(update=changes)))


def with_approval(section: Section, event: e.SectionApproved | e.SectionApprovalGiven, at: datetime | None) -> Section:
    by, policy = person_of(event), isinstance(event, e.SectionApproved) and event.by_policy
    approval = Settlement(how="policy" if policy else "approved", by=by.name, verified=by.verified, at=at)
    before = section.current.approvals if section.current else ()
    others = (one for one in before if one.by != by.name)
    return with_current(section, approvals=(*others, approval))


def without_approval(section: Section, event: e.SectionApprovalWithdrawn) -> Section:
    """Without the approval of the person behind an event; of somebody else's word all of them are gone."""
    before = section.current.approvals if section.current else ()
    others = tuple(one for one in before if one.by != event.actor)
    return with_current(section, approvals=others if len(others) < len(before) else ())


def text_of(section: Section, number: int) -> str | None:
    """The digest of a version's text, None for 0: nothing was written."""
    return next((version.draft.digest for version in section.versions if version.number == number), None)


def upstream_versions(document: Document, section: Section) -> tuple[UpstreamVersion, ...]:
    return tuple(
        UpstreamVersion(section_id=name, version=document.sections[name].current_number)
        for name in section.plan.depends_on
    )


AnyTextEvent = e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionRestored


def version_of(document: Document, section: Section, event: AnyTextEvent) -> Version:
    version = _made_by(document, section, event)
    current = section.current
    difference = event.difference
    if current is not None and current.number == version.number:
        difference = current.difference
    elif difference is not None and (current is None or current.draft.digest != difference.base):
        difference = None
    return version.model_copy(update={"difference": difference})


def _made_by(document: Document, section: Section, event: AnyTextEvent) -> Version:
    match event:
        case e.SectionDrafted():
            return _drafted(document, event)
        case e.SectionRevised():
            return _revised(document, section, event)
        case e.SectionEdited():
            return _edited(document, section, event)
        case e.SectionRestored():
            return _restored(section, event)
        case _:
            assert_never(event)


def _drafted(document: Document, event: e.SectionDrafted) -> Version:
    """How it was made, the event tells to whoever asks: no state holds that."""
    return filled_from(
        Version,
        event,
        number=event.version,
        rests_on=event.upstream,
        origin=Origin.GENERATED,
        made_by=event.provenance.model,
        evaluation=None if event.merge else event.evaluation,
        retrieved_context=None,
        processing_metadata=None,
        images=event.assets,
        sequence=document.sequence,
        protected=event.merge is not None,
        renewed=event.merge is not None,
    )


def _revised(document: Document, section: Section, event: e.SectionRevised) -> Version:
    current, asker = section.current, section.notes.asker
    return Version(
        number=event.version,
        draft=event.draft,
        rests_on=current.rests_on if current else upstream_versions(document, section),
        origin=Origin.REVISED,
        made_by=asker.name,
        verified=asker.verified,
        provenance=event.provenance,
        images=current.images if current else (),
        left_out=current.left_out if current else None,
        review=current.review if current else None,
        protected=current is not None and current.is_a_persons,
        warnings=_still_missing(current),
        summary=event.summary,
        sequence=document.sequence,
        inputs=_inputs_of(document, current),
        requirements=_answers(document, section),
    )


def _still_missing(current: Version | None) -> tuple[GenerationWarning, ...]:
    """The editor agent changes a text; the part that a role was to write is still not in it."""
    return tuple(warning for warning in current.warnings if warning.code in ROLE_MISSING) if current else ()


def _edited(document: Document, section: Section, event: e.SectionEdited) -> Version:
    current, person = section.current, person_of(event) if event.actor else section.notes.asker
    return Version(
        number=event.version,
        draft=event.draft,
        rests_on=event.upstream,
        origin=event.origin,
        made_by=person.name,
        verified=person.verified,
        provenance=event.provenance,
        images=_with(current.images if current else (), event.assets),
        left_out=current.left_out if current else None,
        warnings=() if event.origin is Origin.WRITTEN else _still_missing(current),
        summary=event.summary,
        sequence=document.sequence,
        inputs=_inputs_of(document, current),
        requirements=_answers(document, section),
    )


def _with(assets: tuple[InputFile, ...], new: tuple[InputFile, ...]) -> tuple[InputFile, ...]:
    return tuple({image.name: image for image in (*assets, *new)}.values())


def _inputs_of(document: Document, current: Version | None) -> tuple[InputVersion, ...] | None:
    """A changed text rests on what the text before did, one that a person wrote first on the inputs of now."""
    return current.inputs if current else input_versions(document)


def _answers(document: Document, section: Section) -> Wordings:
    """The rows of the ledger that a changed text rests on: the same rule."""
    return section.current.requirements if section.current else asked_of(document, section.plan.section_id)


def _restored(section: Section, event: e.SectionRestored) -> Version:
    """The text of an earlier version, with all that was found of it; it has no blocks of its own yet."""
    restored = next(version for version in section.versions if version.number == event.restored_version)
    person = person_of(event)
    return restored.model_copy(
        update={
            "number": event.version,
            "origin": Origin.RESTORED,
            "blocks": None,
            "made_by": person.name,
            "verified": person.verified,
            "restored_version": event.restored_version,
            "kept_against": (),
            "approvals": (),
            "merge": None,
            "renewed": False,
        }
    )


def with_author(document: Document, before: Section, after: Section, event: AnyTextEvent) -> Section:
    """The section with author and time of the version that the event made; the words that there were keep theirs."""
    if after.current is None:
        return after
    was = before.current
    if was is not None and was.number == after.current_number:
        return with_current(after, author=was.author, made_at=was.made_at, current_from=was.current_from)
    author = _author(after, event)
    return with_current(after, author=author, made_at=document.time, current_from=document.sequence)


def _author(section: Section, event: AnyTextEvent) -> str:
    match event:
        case e.SectionDrafted():
            return section.plan.agent or _agent(event.provenance)
        case e.SectionRevised():
            return _agent(event.provenance)
        case e.SectionEdited() if event.provenance is not None:
            return _agent(event.provenance)
        case e.SectionEdited() | e.SectionRestored():
            return event.actor or ""
        case _:
            assert_never(event)


def _agent(provenance: Provenance) -> str:
    """The agent without its version."""
    return provenance.agent_version.partition("/")[0]
