"""From an event that brings a text to the version that it is."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.inputs import InputVersion
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile

from .answering import asked_of
from .inputs import input_versions
from .ledger_state import Wordings
from .persons import person_of
from .state import Document, Section, Version
from .versions import is_a_persons, upstream_versions

AnyTextEvent = e.SectionDrafted | e.SectionRevised | e.SectionEdited | e.SectionRestored


def version_of(document: Document, section: Section, event: AnyTextEvent) -> Version:
    """The version that an event brings to a section."""
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
    return Version(
        event.version,
        event.draft,
        event.upstream,
        Origin.GENERATED,
        event.provenance,
        event.evaluation,
        review=event.review,
        assets=event.assets,
        left_out=event.left_out,
        warnings=event.warnings,
        sequence=document.sequence,
        inputs=event.inputs,
    )


def _revised(document: Document, section: Section, event: e.SectionRevised) -> Version:
    current = section.current
    return Version(
        event.version,
        event.draft,
        current.upstream if current else upstream_versions(document, section),
        Origin.REVISED,
        event.provenance,
        assets=current.assets if current else (),
        left_out=current.left_out if current else None,
        review=current.review if current else None,
        protected=current is not None and is_a_persons(current),
        person=section.notes.asker,
        summary=event.summary,
        sequence=document.sequence,
        inputs=_rests_on(document, current),
        requirements=_answers(document, section),
    )


def _edited(document: Document, section: Section, event: e.SectionEdited) -> Version:
    current = section.current
    return Version(
        event.version,
        event.draft,
        event.upstream,
        event.origin,
        event.provenance,
        assets=_with(current.assets if current else (), event.assets),
        left_out=current.left_out if current else None,
        person=person_of(event) if event.actor else section.notes.asker,
        summary=event.summary,
        sequence=document.sequence,
        inputs=_rests_on(document, current),
        requirements=_answers(document, section),
    )


def _with(assets: tuple[InputFile, ...], new: tuple[InputFile, ...]) -> tuple[InputFile, ...]:
    """The images of a text and those that came with another one, which go first."""
    return tuple({image.name: image for image in (*assets, *new)}.values())


def _rests_on(document: Document, current: Version | None) -> tuple[InputVersion, ...] | None:
    """A changed text rests on what the text before did, one that a person wrote first on the inputs of now."""
    return current.inputs if current else input_versions(document)


def _answers(document: Document, section: Section) -> Wordings:
    """The rows of the ledger that a changed text rests on: the same rule."""
    return section.current.requirements if section.current else asked_of(document, section.plan.section_id)


def _restored(section: Section, event: e.SectionRestored) -> Version:
    """The text of an earlier version, with all that was found of it; it has no blocks of its own yet."""
    restored = next(version for version in section.versions if version.number == event.restored_version)
    return replace(
        restored,
        number=event.version,
        origin=Origin.RESTORED,
        blocks=None,
        person=person_of(event),
        restored_version=event.restored_version,
        kept=False,
    )
