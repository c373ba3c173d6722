"""Inputs are added, replaced, staged, applied and withdrawn. Nothing is written anew by that: sections become stale."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import BRIEF, MOST_WARNINGS, InputReading, ReadingFigures, ReadingWarning, Unreadable
from stemma_contracts.v1.outline import SectionTitles
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRole, known_role
from stemma_contracts.v1.views import InputUse, InputView

from stemma_domain.commands import Asked, of_document, of_input_version, refused
from stemma_domain.features.inputs.material import Content, Input, Pending, artifact_of, as_input, evidence_of, is_read
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import READ_INPUT, head_of, job_id, unfitting
from stemma_domain.staleness import Staleness, staleness
from stemma_domain.state import Document, Lifecycle, Section, settled


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
    changed = _inputs_after(document, event)
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
    titles = {told.section_id: told for told in wording.sections if not document.outlined_by}
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


def _inputs_after(document: Document, event: e.AnyInputEvent) -> dict[str, Input]:
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
        case e.DocumentPassageMarked():
            return {**inputs, one.input_id: _read_again(document, one.marked(event))}
        case e.DocumentInputRoleSet():
            return _with_role(document, inputs, one, known_role(event.role) or "internal")
        case e.DocumentInputRead():
            return _with_children(document, {**inputs, one.input_id: _with_reading(one, event)}, one.input_id)
        case e.DocumentInputUnreadable():
            return {**inputs, one.input_id: _with_refusal(one, unreadable=event.unreadable)}
        case e.EntryUseLapsed():
            return {**inputs, one.input_id: one.lapsed(event.lapse)}
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
    parent = event.parent if event else None
    one = Input(file.input_id, file.name, file.used_as, parent, proposed=file.proposed)
    staged = event is not None and event.staged
    if reads:
        return replace(one, pending=_pending(document, one, 1, file.artifact, staged=staged))
    text = file.artifact if file.artifact.media_type in READ and unreadable is None else None
    content = Content(1, file.artifact, text, unreadable=unreadable)
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
    child = known or _attached(parent, file)
    if child.current and child.current.file.digest == file.artifact.digest:
        return replace(child, withdrawn=False)
    return replace(child, pending=_pending(document, child, child.version + 1, file.artifact), withdrawn=False)


def _attached(parent: Input, file: InputFile) -> Input:
    """An attachment is what its message is, unless its own name says otherwise."""
    role = file.used_as if file.proposed and file.used_as != "evidence" else parent.role
    return Input(str(file.input_id), file.name, role, parent.input_id, proposed=True)


def _with_role(document: Document, inputs: dict[str, Input], one: Input, role: UploadRole) -> dict[str, Input]:
    """An input in the role that a person chose; attachments whose role nobody chose follow their message."""
    following = _following(inputs, one)
    children = {each.input_id: replace(each, role=role, first_role=each.first_role or each.role) for each in following}
    chosen = replace(one, role=role, first_role=one.first_role or one.role, proposed=False)
    if role == "form" and one.role != "form":
        chosen = _read_again(document, chosen)
    return {**inputs, **children, one.input_id: chosen}


def _following(inputs: Mapping[str, Input], one: Input) -> Iterator[Input]:
    """The attachments of a message, and those of messages among them, that are what it is as nobody chose."""
    for each in inputs.values():
        if each.parent == one.input_id and each.proposed and each.role == one.role:
            yield each
            yield from _following(inputs, each)


def _read_again(document: Document, one: Input) -> Input:
    """The same file is read again as before, for its fields or without a passage."""
    to_read = one.pending or one.current
    assert to_read is not None, "an input has a version that counts or one that is to come"
    if to_read.file.media_type in SHOWN:
        return one
    return replace(one, pending=_pending(document, one, one.version + 1, to_read.file, is_text=to_read.is_text))


def _pending(
    document: Document, one: Input, number: int, file: ArtifactRef, *, is_text: bool = False, staged: bool = False
) -> Pending:
    return Pending(number, file, job_id(document, READ_INPUT, one.input_id), is_text, staged)


def _replaced(document: Document, one: Input, event: e.DocumentInputReplaced) -> Input:
    number = event.version
    if event.unreadable is not None:
        waiting = Pending(number, event.artifact, None, staged=event.staged)
        return _with_refusal(replace(one, pending=waiting), unreadable=event.unreadable)
    pending = _pending(document, one, number, event.artifact, is_text=event.is_text, staged=event.staged)
    return replace(one, pending=pending)


def _applied(one: Input) -> Input:
    pending = one.pending
    if pending is None or pending.content is None:
        return replace(one, pending=pending and replace(pending, staged=False))
    return _counting(one, pending.content)


def _counting(one: Input, content: Content) -> Input:
    """An input with a version that counts from now on, in the role that its text proposes."""
    role = _role_read(one, content.reading) if content.reading else one.role
    return replace(one, role=role, contents=(*one.contents, content), pending=None)


def _withdrawn(one: Input) -> Input:
    """What is only staged is dropped; an input that never counted is gone with it."""
    staged = one.pending is not None and one.pending.staged
    if staged and one.contents:
        return replace(one, pending=None)
    return replace(one, pending=None, withdrawn=True)


def _with_reading(one: Input, event: e.DocumentInputRead) -> Input:
    pending = one.pending
    if pending is None:
        return one
    text, reading = event.reading.text, event.reading
    about = (pending.number, pending.file, text, reading, None, event.difference, event.children, one.confidential)
    return _with(one, pending, Content(*about))


def _role_read(one: Input, reading: InputReading) -> UploadRole:
    """The role that the text proposes, if neither a person nor the name of the file gave another one."""
    read = known_role(reading.proposed_role) if one.proposed and one.role == "evidence" else None
    return read or one.role


def _with_refusal(one: Input, *, unreadable: Unreadable) -> Input:
    pending = one.pending
    if pending is None:
        return one
    kept = one.current if one.current and set(one.confidential) <= set(one.current.left_out) else None
    text, left_out = (kept.text, kept.left_out) if kept else (None, one.confidential)
    content = Content(pending.number, pending.file, text, unreadable=unreadable, left_out=left_out)
    return _with(one, pending, content)


def _with(one: Input, pending: Pending, content: Content) -> Input:
    if pending.staged:
        return replace(one, pending=replace(pending, job_id=None, content=content))
    return _counting(one, content)


@dataclass(frozen=True, kw_only=True)
class Added(Asked[r.AddInput]):
    """One more input; ``proposed`` is its role if no person chose one, ``unreadable`` why nobody tries to read it."""

    to_read: bool
    proposed: UploadRole = "evidence"
    unreadable: Unreadable | None = None


@dataclass(frozen=True, kw_only=True)
class Replaced(Asked[r.ReplaceInput]):
    """Another file for an input: a text, or a file that is to be read, unless it is ``unreadable``."""

    to_read: bool
    unreadable: Unreadable | None = None


InputDecided = r.ApplyInput | r.WithdrawInput | r.SetInputRole | r.MarkConfidential
InputCommand = Added | Replaced | Asked[InputDecided]


def decide(command: InputCommand, document: Document) -> Sequence[e.AnyEvent]:
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    if isinstance(command, Added):
        return [_add(command, document)]
    one = document.inputs.get(command.request.input_id)
    if one is None or one.withdrawn:
        return [refused(command, Problem.of("input_unknown", "input_id", name=command.request.input_id))]
    if old := _old_version(command.request, one):
        return [refused(command, old)]
    return [_replace(command, one) if isinstance(command, Replaced) else _about(command, document, one)]


def _add(command: Added, document: Document) -> e.AnyEvent:
    file = as_input(command.request.upload, command.proposed)
    named = (one for one in document.inputs.values() if one.input_id != BRIEF and not one.withdrawn)
    if there := next((one for one in named if one.name == file.name), None):
        return refused(command, Problem.of("input_name_taken", "upload.name", input_id=there.input_id))
    return e.DocumentInputAdded(
        **command.asked,
        input_id=next(next_ids(document)),
        file=file,
        to_read=command.to_read,
        staged=command.request.staged,
        unreadable=command.unreadable,
    )


def _old_version(request: r.InputDecision, one: Input) -> Problem | None:
    current = _version_to_decide(request, one)
    if request.version == current and (current or isinstance(request, r.SetInputRole | r.MarkConfidential)):
        return None
    return of_input_version(one.input_id, request.version, current)


def _version_to_decide(request: r.InputDecision, one: Input) -> int:
    """What is staged is decided about by its own number."""
    staged = one.pending.number if one.pending and one.pending.staged else None
    if isinstance(request, r.ReplaceInput | r.SetInputRole | r.MarkConfidential) or staged is None:
        return one.version if not isinstance(request, r.ApplyInput) else 0
    return staged


def _replace(command: Replaced, one: Input) -> e.DocumentInputReplaced:
    upload = command.request.upload
    return e.DocumentInputReplaced(
        **command.asked,
        input_id=one.input_id,
        version=one.version + 1,
        artifact=artifact_of(upload),
        is_text=not command.to_read and upload.media_type in READ,
        staged=command.request.staged,
        unreadable=command.unreadable,
    )


def _about(command: Asked[InputDecided], document: Document, one: Input) -> e.AnyEvent:
    match command.request:
        case r.MarkConfidential():
            about = {"passage": command.stored["passage"], "taken_back": command.request.taken_back}
            marks = e.DocumentPassageMarked.model_validate({**command.asked, "input_id": one.input_id, **about})
            problem = _problem_of_passage(document, one, marks)
            return refused(command, problem) if problem else marks
        case r.SetInputRole() as request:
            if problem := _problem_of_role(request.role, document, one):
                return refused(command, problem)
            return e.DocumentInputRoleSet(**command.asked, input_id=one.input_id, role=request.role)
        case r.ApplyInput() as request:
            return e.DocumentInputApplied(**command.asked, input_id=one.input_id, version=request.version)
        case r.WithdrawInput() if one.input_id == BRIEF and not (one.pending and one.pending.staged):
            return refused(command, Problem.of("brief_needed", "input_id"))
        case r.WithdrawInput():
            return e.DocumentInputWithdrawn(**command.asked, input_id=one.input_id)
        case _:
            assert_never(command.request)


def _problem_of_reading(one: Input) -> Problem | None:
    """Why an input cannot be read again for another reason than another file."""
    if one.input_id == BRIEF:
        return Problem.of("brief_role", "input_id")
    is_staged = one.pending is not None and one.pending.staged
    return Problem.of("input_staged", "input_id", input_id=one.input_id) if is_staged else None


def _problem_of_passage(document: Document, one: Input, marks: e.DocumentPassageMarked) -> Problem | None:
    """Why no more of an input can be confidential, or this of it is not."""
    if marks.taken_back and marks.passage not in one.confidential:
        return Problem.of("passage_not_marked", "passage")
    if not marks.taken_back and sum(len(each.confidential) for each in document.inputs.values()) >= MOST_PASSAGES:
        return Problem.of("passages_too_many", "passage", most=MOST_PASSAGES)
    return _problem_of_reading(one)


def _problem_of_role(role: UploadRole, document: Document, one: Input) -> Problem | None:
    """Why an input cannot be for something."""
    if one.input_id == BRIEF:
        return Problem.of("brief_role", "input_id")
    if role == one.role and not one.proposed:
        return Problem.of("input_role_same", "role", input_id=one.input_id, role=role)
    if role == "form" and (staged := _problem_of_reading(one)):
        return staged
    forms = ((name, section.plan.form) for name, section in document.sections.items())
    answering = next((name for name, form in forms if form and form.input_id == one.input_id), None)
    return Problem.of("form_answered", "role", section_id=answering) if answering and role != "form" else None


def may_start(document: Document, _section: Section, _stale: Staleness) -> bool:
    return is_read(document)


MOST_INPUTS = 200
MOST_PASSAGES = 100
"""Confidential passages of a document: each job of a section carries them all."""
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


def _job(document: Document, one: Input) -> j.ReadInput:
    pending = one.pending
    assert pending is not None
    assert pending.job_id is not None
    return filled_from(
        j.ReadInput,
        one,
        pending,
        document=head_of(document),
        version=pending.number,
        previous=one.current.text if one.current else None,
        form=one.form,
        draw=not pending.is_text,
    )


def _outcome(document: Document, one: Input, outcome: o.Outcome) -> e.AnyEvent:
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
    told = _telling_of(left_off, reading) if left_off else reading
    return {"reading": told, "children": children, "difference": outcome.difference, "left_off": left_off}


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


_READING = Task(_job, _outcome, of_section=False)


ViewState = Literal["reading", "read", "kept", "unreadable", "staged", "withdrawn"]


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
    told = filled_from(
        InputView,
        one,
        role=InputFile.fields_of(one.role)["role"],
        is_form=one.form,
        used_as=one.role,
        state=_state(one),
        version=one.version,
        file=file,
        text=content.text if content else None,
        anchors=reading.anchors if reading else None,
        figures=reading.figures if reading else ReadingFigures(),
        images=len(reading.images) if reading else 0,
        warnings=reading.warnings if reading else (),
        unreadable=content.unreadable if content else None,
        used_by=tuple(use.section_id for use in uses),
        uses=uses,
        form=reading.form if reading else None,
        drawn=reading.drawn if reading else None,
    )
    return _staged(document, one, told) if one.pending and one.pending.staged else told


def _newest(one: Input) -> Content | None:
    return one.current or (one.pending.content if one.pending else None)


def _state(one: Input) -> ViewState:
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
    after = replace(document, inputs={**document.inputs, one.input_id: _applied(one)})
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


FEATURE = Feature[InputCommand](
    requests=(r.AddInput, r.ReplaceInput, r.ApplyInput, r.WithdrawInput, r.SetInputRole, r.MarkConfidential),
    decide=decide,
    events=get_args(e.AnyInputEvent),
    evolve=evolve,
    work=work,
    job_owners={READ_INPUT: subjects.CONVERTER},
    may_start=may_start,
    may_end=is_read,
)
