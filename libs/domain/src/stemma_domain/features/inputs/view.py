"""What a reader is told of the inputs: what was read, how well, what uses it, what a staged version would change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from stemma_contracts.v1.inputs import ReadingFigures
from stemma_contracts.v1.views import InputUse, InputView

from stemma_domain.staleness import staleness
from stemma_domain.state import Document

from .state import Content, Input

State = Literal["reading", "read", "kept", "unreadable", "staged", "withdrawn"]


def input_views(document: Document) -> tuple[InputView, ...]:
    """Every input that counts, did once, or is to come, the brief first.

    What was dropped before any version of it counted is gone.
    """
    return tuple(_view(document, one) for one in document.inputs.values() if one.contents or one.pending)


def _view(document: Document, one: Input) -> InputView:
    content = _newest(one)
    file = content.file if content else one.pending.file if one.pending else None
    assert file is not None, "an input has a version that counts or one that is to come"
    reading = content.reading if content else None
    uses = tuple(_uses(document, one.input_id))
    told = InputView(
        input_id=one.input_id,
        name=one.name,
        role=one.role,
        state=_state(one),
        version=one.version,
        file=file,
        parent=one.parent,
        text=content.text if content else None,
        anchors=reading.anchors if reading else None,
        figures=reading.figures if reading else ReadingFigures(),
        images=len(reading.images) if reading else 0,
        warnings=reading.warnings if reading else (),
        unreadable=content.unreadable if content else None,
        used_by=tuple(use.section_id for use in uses),
        uses=uses,
        form=reading.form if reading else None,
        is_form=one.form,
        drawn=reading.drawn if reading else None,
    )
    return _staged(document, one, told) if one.pending and one.pending.staged else told


def _newest(one: Input) -> Content | None:
    return one.current or (one.pending.content if one.pending else None)


def _state(one: Input) -> State:
    content, pending = one.current, one.pending
    if one.withdrawn:
        return "withdrawn"
    if pending and pending.job_id is not None:
        return "reading"
    if pending and pending.content and pending.content.unreadable is None:
        return "staged"
    content = pending.content if pending and pending.content else content
    if content and content.unreadable is not None:
        return "unreadable"
    return "read" if content and content.text is not None else "kept"


def _uses(document: Document, input_id: str) -> Iterator[InputUse]:
    for name, section in document.sections.items():
        version = section.current
        used = version.validation.used if version and version.validation else None
        if version and any(one.input_id == input_id for one in used or ()):
            given = {one.input_id: one.version for one in version.inputs or ()}
            yield InputUse(section_id=name, version=version.number, input_version=given.get(input_id, 1))


def _staged(document: Document, one: Input, told: InputView) -> InputView:
    pending = one.pending
    assert pending is not None
    if pending.content is None:
        return told.model_copy(update={"staged_version": pending.number, "staged_file": pending.file})
    applied = replace(one, contents=(*one.contents, pending.content), pending=None)
    after = replace(document, inputs={**document.inputs, one.input_id: applied})
    was, now = staleness(document), staleness(after)
    difference = pending.content.difference
    return told.model_copy(
        update={
            "staged_version": pending.number,
            "staged_file": pending.file,
            "staged_text": pending.content.text,
            "unreadable": pending.content.unreadable,
            "changes": difference.changes if difference else None,
            "concerns": tuple(name for name, because in now.items() if because != was.get(name)),
        }
    )
