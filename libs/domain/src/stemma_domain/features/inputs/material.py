"""Inputs: what was given under each id, what workers have of it, and which changed since a section was written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.events import DocumentPassageMarked
from stemma_contracts.v1.inputs import (
    BRIEF,
    ChangedInput,
    InputDifference,
    InputReading,
    InputVersion,
    Unreadable,
    UsedInput,
)
from stemma_contracts.v1.library import Lapse
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef, UploadRole, known_role
from stemma_contracts.v1.section import Activity
from stemma_contracts.v1.validation import ValidationSummary

from stemma_domain.state import Document, Section, Validating, Version


@dataclass(frozen=True)
class Content:
    """One version of an input: its file, and what writers have of it.

    ``text`` is None where nothing is read of it: an image, an attachment, a file that could not be read. A version
    that could not be read has the text of the one before, unless that has a passage that was marked since. ``children``
    are the attachments of a message, ``left_out`` are the passages that its text leaves out. With ``lapse`` it is the
    text of the version before, which came from the library and may not be used any more.
    """

    number: int
    file: ArtifactRef
    text: ArtifactRef | None = None
    reading: InputReading | None = None
    unreadable: Unreadable | None = None
    difference: InputDifference | None = None
    children: tuple[InputFile, ...] = ()
    left_out: tuple[ArtifactRef, ...] = ()
    lapse: Lapse | None = None

    @property
    def is_text(self) -> bool:
        """Whether its file is its text; of a message that was saved as text, it is not."""
        by_reader = self.unreadable is not None or (self.reading is not None and self.reading.anchors is not None)
        return self.file.media_type in READ and not by_reader


@dataclass(frozen=True)
class Pending:
    """A version to come: ``job_id`` is the job that reads it, None once ``content`` is there and waits.

    What is ``staged`` counts only when it is applied.
    """

    number: int
    file: ArtifactRef
    job_id: str | None
    is_text: bool = False
    staged: bool = False
    content: Content | None = None


@dataclass(frozen=True)
class Input:
    """An input by an id that is neither its name nor its digest. ``parent`` is the message that it was attached to.

    The role is ``proposed`` until a person chooses one; ``first_role`` is the one before the first choice.
    ``confidential`` are the passages that its text leaves out.
    """

    input_id: str
    name: str
    role: UploadRole = "evidence"
    parent: str | None = None
    contents: tuple[Content, ...] = ()
    pending: Pending | None = None
    withdrawn: bool = False
    proposed: bool = False
    first_role: UploadRole | None = None
    confidential: tuple[ArtifactRef, ...] = ()

    @property
    def form(self) -> bool:
        """Whether it is to come back with answers in it."""
        return self.role == "form"

    @property
    def current(self) -> Content | None:
        """The version that counts; None while the first is being read or staged."""
        return self.contents[-1] if self.contents else None

    @property
    def version(self) -> int:
        """The number of the version that counts, 0 if there is none."""
        return self.contents[-1].number if self.contents else 0

    @property
    def lapse(self) -> Lapse | None:
        """Why the entry of the library that it came from may not be used any more."""
        return self.contents[-1].lapse if self.contents else None

    def asks(self, number: int) -> tuple[frozenset[str], str]:
        """The fields of a version of a form, and a digest of what they accept, which old logs do not have."""
        content = self.content(number)
        found = content.reading.form if content and content.reading else None
        return (frozenset(found.field_ids), found.accepted_digest or "") if found else (frozenset(), "")

    @property
    def is_awaited(self) -> bool:
        """Whether a version is being read that counts at once."""
        pending = self.pending
        return pending is not None and pending.job_id is not None and not pending.staged and not self.withdrawn

    def marked(self, event: DocumentPassageMarked) -> Input:
        """The input with one more passage that is confidential, or with one less."""
        others = tuple(passage for passage in self.confidential if passage != event.passage)
        return replace(self, confidential=others if event.taken_back else (*self.confidential, event.passage))

    def lapsed(self, lapse: Lapse) -> Input:
        """The input with the same text as another version, which may not be used: what rests on it is stale."""
        if self.current is None:
            return self
        lapsed = replace(self.current, number=self.version + 1, difference=None, lapse=lapse)
        return replace(self, contents=(*self.contents, lapsed))

    def content(self, number: int) -> Content | None:
        """A version by its number."""
        return next((content for content in self.contents if content.number == number), None)


EVIDENCE: frozenset[UploadRole] = frozenset({"request", "evidence", "price", "form"})
"""The roles of what a text may rest on."""
MANNER: frozenset[UploadRole] = frozenset({"past-text", "style"})
"""The roles of what says how to write."""
_MAY_SAY: Mapping[UploadRole, int] = {"evidence": 2, "price": 2, "request": 1, "form": 1}
"""How much a text may take from an input of a role: what it says, what it asks for, and else nothing."""
ATTACHED = "application/octet-stream"
_CHANGES = frozenset({Origin.REVISED, Origin.EDITED, Origin.WRITTEN})
"""Texts that are made of the one before."""


def artifact_of(upload: UploadRef) -> ArtifactRef:
    return ArtifactRef(digest=upload.digest, size=upload.size, media_type=upload.media_type, name=upload.name)


def as_input(upload: UploadRef, proposed: UploadRole | None = None) -> InputFile:
    """An upload as an input; a role that is proposed counts where nobody chose one."""
    fields = InputFile.fields_of(upload.role)
    if proposed and upload.role == "evidence" and not upload.role_confirmed:
        fields = {**InputFile.fields_of(proposed), "proposed": True}
    return InputFile(name=upload.name, artifact=artifact_of(upload), **fields)


def evidence_of(document: Document, *, with_forms: bool = False) -> tuple[InputFile, ...]:
    """What a text may state and show: what was read of each input, its images, and attachments as they are.

    No text is written from what a form asks, but its questions may stand in one.
    """
    counting = (one for one in given(document) if with_forms or not one.form)
    found = (file for one in counting if one.role in EVIDENCE for file in _files_of(one))
    return tuple({file.name: file for file in found}.values())


def requests_of(document: Document) -> tuple[InputFile, ...]:
    """What was read of each request of the buyer, beside the brief; also those that nothing could be read of."""
    return tuple(_file(one, one.contents[-1]) for one in given(document) if one.role == "request")


def brief_file(document: Document) -> InputFile | None:
    """The brief as the input that it is: what was read of its file, and where in that everything stands."""
    brief = document.inputs[BRIEF]
    return _file(brief, brief.current) if brief.current and brief.current.text else None


def manner_of(document: Document) -> tuple[InputFile, ...]:
    """Earlier texts and rules of style: how to write, and nothing that may be stated."""
    return _read_as(document, MANNER)


def internal_of(document: Document) -> tuple[InputFile, ...]:
    """What informs people and models, and is never quoted."""
    return (*_read_as(document, {"internal"}), *_passages(document))


def _passages(document: Document) -> Iterator[InputFile]:
    """What is confidential in inputs that may be quoted."""
    for one in given(document):
        for number, passage in enumerate(one.confidential if one.role != "internal" else (), 1):
            name = f"{one.input_id}-confidential-{number}.txt"
            yield InputFile(name=name, artifact=passage, **InputFile.fields_of("internal"))


def _read_as(document: Document, roles: Collection[UploadRole]) -> tuple[InputFile, ...]:
    return tuple(_file(one, one.contents[-1]) for one in given(document) if one.role in roles and _text(one))


def pictures_of(document: Document) -> Iterator[InputFile]:
    """The images among the inputs, and those in them; also of a brief."""
    for one in document.inputs.values():
        if not one.withdrawn and one.role in EVIDENCE:
            yield from (file for file in _files_of(one) if file.artifact.media_type in SHOWN)


def input_versions(document: Document) -> tuple[InputVersion, ...]:
    """The versions of all inputs that count now."""
    return tuple(
        InputVersion(input_id=one.input_id, version=one.version, role=one.role)
        for one in document.inputs.values()
        if not one.withdrawn and one.role in EVIDENCE
    )


def lacks_form(document: Document, section: Section) -> bool:
    """Whether a section answers a form that was withdrawn: nobody needs its text any more."""
    form = document.inputs.get(section.plan.form.input_id) if section.plan.form else None
    return form is not None and form.withdrawn


def is_read(document: Document) -> bool:
    """Whether everything that is to be written from is read or given up, and there is a brief."""
    brief = document.inputs[BRIEF].current
    has_brief = brief is not None and brief.text is not None
    return has_brief and not any(one.is_awaited for one in document.inputs.values())


def lacks_brief(document: Document) -> bool:
    """Whether a person has to give another brief: this one could not be read."""
    brief = document.inputs[BRIEF]
    return brief.pending is None and (brief.current is None or brief.current.text is None)


def changed_inputs(document: Document, section: Section) -> tuple[ChangedInput, ...]:
    """The inputs that are not any more what the current version of a section rests on."""
    version = section.current
    if version is None or lacks_form(document, section):
        return ()
    accepted = _accepted(document, version)
    changed = (
        (one, known)
        for one in document.inputs.values()
        if (known := accepted.get(one.input_id)) is not None and _differs(one, known, section)
    )
    return tuple(
        ChangedInput(
            input_id=one.input_id,
            name=one.name,
            accepted_version=known.version,
            current_version=one.version,
            withdrawn=one.withdrawn,
            role=one.role if _may_say_less(one, known) and not one.withdrawn else "",
            changes=one.current.difference.changes if one.current and one.current.difference else None,
            lapse=one.lapse or "",
        )
        for one, known in changed
    )


def _accepted(document: Document, version: Version) -> dict[str, InputVersion]:
    """The versions that a text rests on; an old log does not say, and then all inputs were as they had been given."""
    if version.inputs is None:
        return {name: InputVersion(input_id=name, version=1) for name in document.inputs}
    return {given.input_id: given for given in version.inputs}


def _differs(one: Input, known: InputVersion, section: Section) -> bool:
    if _may_say_less(one, known):
        used = _used(section)
        return used is None or one.input_id in used
    return _asks_otherwise(one, known.version, section) if one.form else _is_changed(one, known.version, section)


def _may_say_less(one: Input, known: InputVersion) -> bool:
    """Whether a text may not take from an input any more what it took in its role of then."""
    then = known_role(known.role) or one.first_role or one.role
    return _MAY_SAY.get(one.role, 0) < _MAY_SAY.get(then, 0)


def _used(section: Section) -> dict[str, UsedInput] | None:
    """What the current version uses of each input; None if that is not known."""
    validation = validation_of(section)
    found = validation.used if validation else None
    return None if found is None else {used.input_id: used for used in found}


def validation_of(section: Section) -> ValidationSummary | None:
    """What was found of the current version; until a change of a text is checked, what was of the text before."""
    version = section.current
    if version is not None and version.origin in _CHANGES and _is_being_checked(section):
        version = next((one for one in reversed(section.versions) if one.validation), version)
    return version.validation if version else None


def together(*found: tuple[UsedInput, ...]) -> tuple[UsedInput, ...]:
    """What several looks at one text found that it uses of each input."""
    merged = dict[str, UsedInput]()
    for one in (used for each in found for used in each):
        known = merged.get(one.input_id, one)
        parts = tuple(dict.fromkeys((*known.parts, *one.parts)))
        merged[one.input_id] = UsedInput(input_id=one.input_id, parts=parts, whole=known.whole or one.whole)
    return tuple(merged.values())


def _is_being_checked(section: Section) -> bool:
    return isinstance(section.phase, Validating) or Activity.VALIDATE in section.checks.values()


def _is_changed(one: Input, accepted: int, section: Section) -> bool:
    if accepted == one.version and not one.withdrawn:
        return False
    before, now = one.content(accepted), None if one.withdrawn else one.current
    if _digest(before) == _digest(now) and not one.lapse:
        return False
    used = _used(section)
    if used is None:
        return True
    mine = used.get(one.input_id)
    if mine is None:
        return False
    return one.withdrawn or bool(one.lapse) or _touches(one, accepted, mine)


def _asks_otherwise(one: Input, accepted: int, section: Section) -> bool:
    """Whether a form has other fields than the version of it that a section answers, or they accept other answers.

    No other section rests on it.
    """
    form = section.plan.form
    if form is None or form.input_id != one.input_id:
        return False
    return one.asks(accepted) != one.asks(one.version)


def _touches(one: Input, accepted: int, used: UsedInput) -> bool:
    """Whether what changed since a version is what was used of it."""
    steps = [content.difference for content in one.contents if content.number > accepted and not content.lapse]
    if all(step is not None and step.blocks == 0 for step in steps):
        return False
    if used.whole or any(step is None or step.parts is None for step in steps):
        return True
    changed = {part for step in steps if step and step.parts for part in step.parts}
    return not changed.isdisjoint(used.parts)


def _digest(content: Content | None) -> str | None:
    return content.text.digest if content and content.text else None


def given(document: Document) -> Iterator[Input]:
    """The inputs beside the brief that have a version that counts."""
    return (one for one in document.inputs.values() if one.input_id != BRIEF and one.contents and not one.withdrawn)


def _text(one: Input) -> bool:
    return one.contents[-1].text is not None


def _files_of(one: Input) -> Iterator[InputFile]:
    content = one.current
    if content is None:
        return
    if one.input_id != BRIEF:
        yield _file(one, content)
    yield from content.reading.images if content.reading else ()


def _file(one: Input, content: Content) -> InputFile:
    anchors = content.reading.anchors if content.reading else None
    artifact = content.text or (_as_attachment(content.file) if content.unreadable else content.file)
    about = InputFile.fields_of(one.role)
    return InputFile(name=one.name, artifact=artifact, input_id=one.input_id, anchors=anchors, **about)


def _as_attachment(file: ArtifactRef) -> ArtifactRef:
    """What could not be read is no text and no image, whatever it says that it is."""
    return file.model_copy(update={"media_type": ATTACHED}) if file.media_type in READ | SHOWN else file
