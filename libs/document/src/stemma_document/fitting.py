"""Whether an event fits the document before it: what it names is there.

An event that was decided on this document fits. One that does not was put into the log by somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1 import events as e

from .state import Document


def fits(document: Document, event: e.AnyEvent) -> bool:
    """Whether the document has what the event names; of a ``DocumentRequested``, whether its own plan has it."""
    new = {event.section.section_id} if isinstance(event, e.FormFieldsConfirmed) else frozenset[str]()
    return document.sections.keys() | new >= set(_sections_named(event)) and _has_the_rest(document, event)


def _sections_named(event: e.AnyEvent) -> Iterator[str]:
    yield from event.starts
    yield from (mark.section_id for mark in event.makes_stale)
    yield from event.clears_stale
    match event:
        case e.SectionEvent() | e.FormExportRequested():
            yield event.section_id
        case e.RevisionCycleStarted():
            yield from event.sections
        case e.FormFieldsConfirmed():
            yield from event.section.depends_on
        case e.ExportRequested():
            yield from (pair.section_id for pair in event.redline)
        case e.DocumentRequested():
            yield from (name for plan in event.sections for name in plan.depends_on)
        case _:
            pass


def _has_the_rest(document: Document, event: e.AnyEvent) -> bool:
    match event:
        case e.DocumentInputAdded():
            return True
        case e.InputEvent() | e.FormFieldsConfirmed():
            return event.input_id in document.inputs
        case e.FormExportRequested():
            return event.input_id in document.inputs and _has_version(document, event.section_id, event.version)
        case e.FormExported() | e.FormExportFailed():
            return event.export_id in document.form_exports
        case e.SectionRestored():
            return _has_version(document, event.section_id, event.restored_version)
        case e.SectionRevisionRequested() | e.SectionEditRequested():
            return document.sections[event.section_id].current is not None
        case _:
            return True


def _has_version(document: Document, section_id: str, number: int) -> bool:
    return any(version.number == number for version in document.sections[section_id].versions)
