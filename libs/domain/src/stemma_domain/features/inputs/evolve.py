"""Fold an event about an input into the document. The event is a fact: no rule is applied here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from stemma_contracts.media import READ
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.inputs import BRIEF, Unreadable
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.wording import SectionTitles

from stemma_domain.job_ids import READ_INPUT, job_id
from stemma_domain.state import Document, Lifecycle, Section, settled

from .state import Content, Input, Pending


def first_inputs(document: Document, event: e.DocumentRequested) -> Mapping[str, Input]:
    """The inputs that a document begins with, its brief among them."""
    unreadable = {one.input_id: Unreadable(reason=one.reason, detail=one.detail) for one in event.unreadable}
    brief = InputFile(name=event.brief.name, artifact=event.brief, input_id=BRIEF, role="request")
    inputs = dict[str, Input]()
    for file in (brief, *numbered(event.inputs)):
        assert file.input_id is not None
        reads, why = file.input_id in event.to_read, unreadable.get(file.input_id)
        inputs[file.input_id] = _given(document, file, reads, why)
    return inputs


def numbered(files: Sequence[InputFile]) -> tuple[InputFile, ...]:
    """The inputs of a request with their ids."""
    return tuple(
        file.model_copy(update={"input_id": file.input_id or f"input-{number}"}) for number, file in enumerate(files, 1)
    )


def evolve(document: Document, event: e.AnyInputEvent) -> Document:
    """The document after an event about an input."""
    changed = _changed(document, event)
    if isinstance(event, e.DocumentInputRead) and event.input_id == BRIEF:
        document = _titled_by_brief(_in_language_of_brief(document, event.reading.language), event.reading.title)
    reopened = document.lifecycle is Lifecycle.COMPLETED and bool(event.makes_stale)
    brief = changed[BRIEF].current
    if isinstance(event, e.DocumentInputRead | e.DocumentInputUnreadable):
        document = settled(document, event.job_id)
    return replace(
        document,
        inputs=changed,
        brief=brief.text if brief and brief.text else document.brief,
        lifecycle=Lifecycle.RUNNING if reopened else document.lifecycle,
    )


def _in_language_of_brief(document: Document, tag: str) -> Document:
    """The document in the language of its brief, if nobody named another one; a later brief changes it no more."""
    wording = next((wording for wording in document.wordings if wording.language == tag), None)
    if wording is None:
        return replace(document, wordings=())
    titles = {told.section_id: told for told in wording.sections}
    sections = {name: _titled(section, titles.get(name)) for name, section in document.sections.items()}
    return replace(document, language=tag, sections=sections, wordings=())


def _titled_by_brief(document: Document, title: ArtifactRef | None) -> Document:
    """The document with the title of its brief in place of the name of its file; a later brief changes it no more."""
    titled = title if document.titled_by_file and title else document.title
    return replace(document, title=titled, titled_by_file=False)


def _titled(section: Section, told: SectionTitles | None) -> Section:
    if told is None:
        return section
    words = {"title": told.title, "required_headings": told.required_headings}
    return replace(section, plan=section.plan.model_copy(update=words))


def _changed(document: Document, event: e.AnyInputEvent) -> dict[str, Input]:
    inputs = dict(document.inputs)
    if isinstance(event, e.DocumentInputAdded):
        file = event.file.model_copy(update={"input_id": event.input_id})
        return {**inputs, event.input_id: _given(document, file, event.to_read, event.unreadable, event)}
    one = inputs[event.input_id]
    match event:
        case e.DocumentInputReplaced():
            return {**inputs, one.input_id: _replaced(document, one, event)}
        case e.DocumentInputApplied():
            return _with_children(document, {**inputs, one.input_id: _applied(one)}, one.input_id)
        case e.DocumentInputWithdrawn():
            return {**inputs, one.input_id: _withdrawn(one)}
        case e.DocumentInputRead():
            return _with_children(document, {**inputs, one.input_id: _read(one, event)}, one.input_id)
        case e.DocumentInputUnreadable():
            return {**inputs, one.input_id: _settled(one, unreadable=event.unreadable)}
        case _:
            assert_never(event)


def _given(
    document: Document,
    file: InputFile,
    reads: bool,
    unreadable: Unreadable | None,
    event: e.DocumentInputAdded | None = None,
) -> Input:
    assert file.input_id is not None
    one = Input(file.input_id, file.name, file.role, event.parent if event else None, form=file.form)
    staged = event is not None and event.staged
    if reads:
        return replace(one, pending=_pending(document, one, 1, file.artifact, staged=staged))
    content = Content(1, file.artifact, None if unreadable else own_text(file.artifact), unreadable=unreadable)
    if staged:
        return replace(one, pending=Pending(1, file.artifact, None, staged=True, content=content))
    return replace(one, contents=(content,))


def _with_children(document: Document, inputs: dict[str, Input], parent_id: str) -> dict[str, Input]:
    """The attachments of a message that counts are read; those that it has no more are withdrawn."""
    parent = inputs[parent_id]
    if parent.pending is not None or parent.current is None:
        return inputs
    there = {str(child.input_id): child for child in parent.current.children}
    gone = (one for one in inputs.values() if one.parent == parent_id and one.input_id not in there)
    children = {name: _child(document, parent, inputs.get(name), file) for name, file in there.items()}
    return {**inputs, **{one.input_id: replace(one, pending=None, withdrawn=True) for one in gone}, **children}


def _child(document: Document, parent: Input, known: Input | None, file: InputFile) -> Input:
    child = known or Input(str(file.input_id), file.name, parent.role, parent.input_id)
    if child.current and child.current.file.digest == file.artifact.digest:
        return replace(child, withdrawn=False)
    return replace(child, pending=_pending(document, child, child.version + 1, file.artifact), withdrawn=False)


def _pending(
    document: Document, one: Input, number: int, file: ArtifactRef, *, is_text: bool = False, staged: bool = False
) -> Pending:
    return Pending(number, file, job_id(document, READ_INPUT, one.input_id), is_text, staged)


def _replaced(document: Document, one: Input, event: e.DocumentInputReplaced) -> Input:
    number = event.version
    if event.unreadable is not None:
        waiting = Pending(number, event.artifact, None, staged=event.staged)
        return _settled(replace(one, pending=waiting), unreadable=event.unreadable)
    pending = _pending(document, one, number, event.artifact, is_text=event.is_text, staged=event.staged)
    return replace(one, pending=pending)


def _applied(one: Input) -> Input:
    pending = one.pending
    if pending is None:
        return one
    if pending.content is None:
        return replace(one, pending=replace(pending, staged=False))
    return replace(one, contents=(*one.contents, pending.content), pending=None)


def _withdrawn(one: Input) -> Input:
    """What is only staged is dropped; an input that never counted is gone with it."""
    staged = one.pending is not None and one.pending.staged
    if staged and one.contents:
        return replace(one, pending=None)
    return replace(one, pending=None, withdrawn=True)


def _read(one: Input, event: e.DocumentInputRead) -> Input:
    pending = one.pending
    if pending is None:
        return one
    reading, difference, children = event.reading, event.difference, event.children
    return _with(one, pending, Content(pending.number, pending.file, reading.text, reading, None, difference, children))


def _settled(one: Input, *, unreadable: Unreadable) -> Input:
    pending = one.pending
    if pending is None:
        return one
    before = one.current.text if one.current else None
    return _with(one, pending, Content(pending.number, pending.file, before, unreadable=unreadable))


def _with(one: Input, pending: Pending, content: Content) -> Input:
    if pending.staged:
        return replace(one, pending=replace(pending, job_id=None, content=content))
    return replace(one, contents=(*one.contents, content), pending=None)


def own_text(file: ArtifactRef) -> ArtifactRef | None:
    """What is read of a file that is text itself."""
    return file if file.media_type in READ else None
