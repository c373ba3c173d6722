"""The jobs that read inputs, the ids of inputs to come, and the room for them in a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import BRIEF, MOST_WARNINGS, InputReading, ReadingWarning, Unreadable
from stemma_contracts.v1.references import InputFile

from stemma_domain.hooks import Task, Work
from stemma_domain.job_parts import head_of
from stemma_domain.outcomes import unfitting
from stemma_domain.state import Document, Lifecycle

from .material import evidence_of
from .state import Input

MOST_INPUTS = 200
MOST_LIST_BYTES = 48 * 1024
"""What the list of inputs, with what was found in them, may take up in a job."""
ONE_BYTES = 768
"""What one of them takes up there."""


def next_ids(document: Document) -> Iterator[str]:
    """The ids of inputs to come."""
    given = sum(one.input_id != BRIEF for one in document.inputs.values())
    return (f"input-{number}" for number in count(given + 1))


def room(document: Document) -> int:
    """The bytes that are left in the list of inputs of a job, with those kept free that are still to be read."""
    awaited = sum(one.pending is not None for one in document.inputs.values())
    return MOST_LIST_BYTES - listed(evidence_of(document)) - awaited * ONE_BYTES


def listed(files: Iterable[InputFile]) -> int:
    """The bytes that files take up in a list of inputs."""
    return sum(len(file.model_dump_json(exclude_defaults=True)) for file in files)


GIVEN_UP = "given_up"


def work(document: Document) -> Iterator[Work]:
    """The files that are to be read, also while the document is paused."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return
    for one in document.inputs.values():
        if one.pending is not None and one.pending.job_id is not None:
            yield one.pending.job_id, _READING, (document, one)


def _read(document: Document, one: Input) -> j.ReadInput:
    pending = one.pending
    assert pending is not None
    assert pending.job_id is not None
    return j.ReadInput(
        job_id=pending.job_id,
        document=head_of(document),
        input_id=one.input_id,
        version=pending.number,
        name=one.name,
        file=pending.file,
        is_text=pending.is_text,
        previous=one.current.text if one.current else None,
        form=one.form,
        draw=not pending.is_text,
    )


def _settled(document: Document, one: Input, outcome: o.Outcome) -> e.AnyEvent:
    assert one.pending is not None
    about = {"input_id": one.input_id, "job_id": outcome.job_id, "version": one.pending.number}
    match outcome:
        case o.InputRead():
            return e.DocumentInputRead.model_validate({**about, **_as_far_as_there_is_room(document, one, outcome)})
        case o.InputUnreadable():
            return e.DocumentInputUnreadable.model_validate({**about, "unreadable": outcome.unreadable})
        case o.JobDead():
            why = Unreadable(reason=GIVEN_UP, detail=outcome.detail)
            return e.DocumentInputUnreadable.model_validate({**about, "unreadable": why})
        case _:
            raise unfitting(outcome)


def _as_far_as_there_is_room(document: Document, one: Input, outcome: o.InputRead) -> dict[str, object]:
    """What was read, with as many images and attachments as the jobs of a section can carry."""
    images, left = _fitting(outcome.reading.images, room(document))
    fitting, _ = _fitting(outcome.children[: MOST_INPUTS - len(document.inputs)], left)
    children = _with_ids(document, one, fitting)
    left_off = len(outcome.reading.images) + len(outcome.children) - len(images) - len(children)
    reading = outcome.reading.model_copy(update={"images": images})
    return {
        "reading": _telling_of(left_off, reading) if left_off else reading,
        "children": children,
        "difference": outcome.difference,
        "left_off": left_off,
    }


def _telling_of(left_off: int, reading: InputReading) -> InputReading:
    """The same with one more warning, which comes first: there is room for so many."""
    detail = f"{left_off} of its images and attachments are no inputs: the document has too many, or one of their name."
    warnings = (ReadingWarning(code="left_off", detail=detail), *reading.warnings)
    cut = max(0, len(warnings) - MOST_WARNINGS)
    return reading.model_copy(
        update={"warnings": warnings[:MOST_WARNINGS], "more_warnings": reading.more_warnings + cut}
    )


def _fitting(files: Sequence[InputFile], left: int) -> tuple[tuple[InputFile, ...], int]:
    taken = list[InputFile]()
    for file in files:
        if (size := listed([file])) <= left:
            taken.append(file)
            left -= size
    return tuple(taken), left


def _with_ids(document: Document, parent: Input, files: Sequence[InputFile]) -> tuple[InputFile, ...]:
    """An attachment of the same name as in the version before is that one again."""
    known = {one.name: one.input_id for one in document.inputs.values() if one.parent == parent.input_id}
    taken = {one.name for one in document.inputs.values() if one.input_id != BRIEF} - known.keys()
    fresh = next_ids(document)
    return tuple(
        file.model_copy(update={"input_id": known.get(file.name) or next(fresh)})
        for file in files
        if file.name not in taken
    )


_READING = Task(_read, _settled, of_section=False)
