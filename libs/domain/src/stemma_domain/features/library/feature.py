"""The library: what people approved may be taken by other documents of the tenant, and those are told when it lapses.

An entry is the current text of a section that a person approved. Which entries there are, and what became of them, is
derived from the state of the document that has them; a document that took one has it as an input.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import assert_never, get_args

from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.library import EntryAnswer, EntryRef, EntryUse, EntryView, Lapse, ReuseView
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.validation import INTERNAL_WORDS

from stemma_domain.commands import Asked, Command, Timer, of_document, refused
from stemma_domain.features.inputs.feature import next_ids
from stemma_domain.features.inputs.material import Input
from stemma_domain.hooks import Feature
from stemma_domain.staleness import staleness
from stemma_domain.state import (
    Approved,
    AwaitingReview,
    Document,
    Edited,
    Lifecycle,
    Section,
    State,
    person_of,
    with_section,
)

from .state import NO_ENTRY, Approval, Entry

EXPIRED = "entry-expired"
MOST_ANSWERS = 200
"""Demands of an entry that its view names."""
MOST_USES = 500
"""Documents that one text can be taken by."""
_KEPT_APART = frozenset({"price", "internal"})
"""Roles of inputs whose words are for one document alone."""
_PERSONS = (Origin.WRITTEN, Origin.RESTORED)
Decided = r.RecordOutcome | r.DescribeEntry


@dataclass(frozen=True, kw_only=True)
class Reuse(Asked[r.ReuseEntry]):
    """An entry that was found and may be used, with its text as a file of this document."""

    name: str
    text: ArtifactRef


LibraryCommand = Reuse | Asked[Decided]


@dataclass(frozen=True)
class TakenBy(Command):
    """Another document takes a version of an entry of this one."""

    entry: EntryRef
    document_id: str


@dataclass(frozen=True)
class Lapsed(Command):
    """An entry that this document took may not be used any more."""

    entry: EntryRef
    lapse: Lapse


@dataclass(frozen=True)
class LapseTold(Command):
    """A document that took an entry of this one was told of its lapse."""

    section_id: str
    document_id: str
    lapse: Lapse


@dataclass(frozen=True)
class Erased(Command):
    """The document of an entry that this one took is erased, and what came from it is to go, too."""

    entry: EntryRef


Notice = TakenBy | Lapsed | LapseTold | Erased
"""What documents of a tenant say to each other."""


def evolve(document: Document, event: e.AnyEntryEvent | e.AnyReuseEvent) -> Document:
    match event:
        case e.BidOutcomeRecorded():
            return replace(document, outcome=event.outcome)
        case e.EntryReused():
            return replace(document, reuses={**document.reuses, event.input_id: _reused(document, event)})
        case _:
            section = document.sections[event.section_id]
            return with_section(document, replace(section, entry=_entry_after(document, section.entry, event)))


def _reused(document: Document, event: e.EntryReused) -> ReuseView:
    before = document.reuses.get(event.input_id)
    rows = (*(before.requirement_ids if before else ()), *event.requirement_ids)
    is_same = before is not None and before.entry == event.entry and before.lapse is None
    return ReuseView(
        entry=event.entry,
        input_id=event.input_id,
        requirement_ids=tuple(dict.fromkeys(rows)),
        by=person_of(event).name,
        at=document.time,
        text=before.text if before and is_same else None,
    )


def _entry_after(document: Document, entry: Entry, event: e.AnyEntryEvent) -> Entry:
    match event:
        case e.EntryDescribed():
            said = replace(entry, owner=event.owner, expires=event.expires, withheld=event.withheld)
            return replace(said, expired=False, number=document.number)
        case e.EntryExpired():
            return replace(entry, expired=True)
        case e.EntryUsed():
            others = (use for use in entry.uses if use.document_id != event.document_id)
            return replace(entry, uses=(*others, EntryUse(document_id=event.document_id, version=event.version)))
        case e.EntryLapseTold():
            return replace(entry, uses=tuple(_told(use, event) for use in entry.uses))
        case _:
            assert_never(event)


def _told(use: EntryUse, event: e.EntryLapseTold) -> EntryUse:
    return use.model_copy(update={"told": event.lapse}) if use.document_id == event.document_id else use


def after(document: Document, event: e.AnyEvent) -> Document:
    """What a person approved is an entry from then on; an input that lapsed says so of what it came from."""
    if isinstance(event, e.EntryUseLapsed):
        reuse = document.reuses.get(event.input_id)
        lapsed = reuse.model_copy(update={"lapse": event.lapse}) if reuse else None
        return replace(document, reuses={**document.reuses, event.input_id: lapsed}) if lapsed else document
    if isinstance(event, e.DocumentInputAdded | e.DocumentInputReplaced):
        return _with_text(document, event)
    section = document.sections.get(_approved_by(event))
    if section is None or section.current is None:
        return document
    by = person_of(event)
    approval = Approval(section.current.draft.digest, by.name, by.verified, document.time)
    uses = tuple(use.model_copy(update={"told": None}) for use in section.entry.uses)
    return with_section(document, replace(section, entry=replace(section.entry, approval=approval, uses=uses)))


def _with_text(document: Document, event: e.DocumentInputAdded | e.DocumentInputReplaced) -> Document:
    """Which text an entry is, as the event right after the one that took it says."""
    reuse = document.reuses.get(event.input_id)
    if reuse is None or reuse.text is not None:
        return document
    text = event.file.artifact if isinstance(event, e.DocumentInputAdded) else event.artifact
    return replace(document, reuses={**document.reuses, event.input_id: reuse.model_copy(update={"text": text})})


def _approved_by(event: e.AnyEvent) -> str:
    """The section whose text a person settled by an event, if any: what a policy let pass nobody has read."""
    match event:
        case e.SectionEdited(awaits_review=True) | e.SectionRestored(awaits_review=True):
            return ""
        case e.SectionApproved(by_policy=False) | e.SectionRestored() | e.SectionKept():
            return event.section_id
        case e.SectionEdited() if event.actor and (event.origin in _PERSONS or event.proposal_id):
            return event.section_id
        case _:
            return ""


def lapse_of(document: Document, section: Section, *, stale: bool) -> Lapse | None:
    """Why the current text of a section is nothing that other documents may take; None if they may."""
    entry, version = section.entry, section.current
    if version is None or entry.approval is None:
        return "unapproved"
    if version.draft.digest != entry.approval.digest or not isinstance(section.phase, Approved | Edited):
        return "unapproved"
    if entry.withheld or _is_kept_apart(document, section):
        return "withheld"
    if entry.expired:
        return "expired"
    return "stale" if stale else None


def _is_kept_apart(document: Document, section: Section) -> bool:
    """Whether a text rests on what is for its own document alone, or has words of it."""
    version = section.current
    if version is None or (version.validation and version.validation.rules.get(INTERNAL_WORDS)):
        return True
    return any(one.role in _KEPT_APART for one in _sources(document, section))


def _sources(document: Document, section: Section) -> Iterator[Input]:
    """The inputs that the current text rests on; all that it was given, where that is not known."""
    version = section.current
    found = version.validation.used if version and version.validation else None
    ids = [one.input_id for one in (version.inputs if found is None else found) or ()] if version else []
    return (document.inputs[name] for name in ids if name in document.inputs)


def entry_view(document: Document, section: Section, *, stale: bool) -> EntryView | None:
    """What a section is to the library; None if no person ever approved a text of it."""
    entry, version = section.entry, section.current
    if entry.approval is None or version is None:
        return None
    found = [
        EntryAnswer(requirement_id=name, block_id=sought.block_id, sure=sought.sure)
        for name, sought in version.sought.items()
        if sought.block_id
    ]
    return filled_from(
        EntryView,
        entry,
        approved_by=entry.approval.by,
        approved_at=entry.approval.at,
        verified=entry.approval.verified,
        owner=entry.owner or entry.approval.by,
        lapse=lapse_of(document, section, stale=stale),
        answers=tuple(found[:MOST_ANSWERS]),
        sources=tuple(one.input_id for one in _sources(document, section)),
    )


def decide(command: LibraryCommand, document: Document) -> Sequence[e.AnyEvent]:
    if isinstance(command, Reuse):
        return _taken(command, command.request, document)
    match command.request:
        case r.RecordOutcome(outcome=outcome):
            if outcome == document.outcome:
                return [refused(command, Problem.of("outcome_same", "outcome", outcome=outcome))]
            return [e.BidOutcomeRecorded(**command.asked, outcome=outcome)]
        case r.DescribeEntry() as request:
            return [_described(command, request, document)]
        case _:
            assert_never(command.request)


def _described(command: Asked[Decided], request: r.DescribeEntry, document: Document) -> e.AnyEvent:
    name = request.section_id
    if document.sections[name].entry.approval is None:
        return refused(command, Problem.of("entry_unapproved", "section_id"), name)
    if request.expires is not None and request.expires <= command.time:
        return refused(command, Problem.of("due_past", "expires", due=request.expires.isoformat()), name)
    said = request.model_dump(include={"section_id", "owner", "expires", "withheld"})
    return e.EntryDescribed(**command.asked, **said)


def _taken(command: Reuse, request: r.ReuseEntry, document: Document) -> Sequence[e.AnyEvent]:
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    rows = document.ledger.row_ids if document.ledger else frozenset[str]()
    if unknown := next((name for name in request.requirement_ids if name not in rows), None):
        return [refused(command, Problem.of("row_unknown", "requirement_ids", requirement_id=unknown))]
    one = input_of(document, request.entry)
    if one is not None and document.reuses[one.input_id].entry == request.entry and one.lapse is None:
        known = document.reuses[one.input_id].requirement_ids
        if set(request.requirement_ids) <= set(known):
            return [refused(command, Problem.of("entry_reused", "entry", input_id=one.input_id))]
        return [_reuse(command, request, one.input_id)]
    return [_reuse(command, request, one.input_id), _replaced(command, one)] if one else _added(command, document)


def will_take(command: Reuse, document: Document) -> bool:
    """Whether a document takes an entry, so that what has it is to know."""
    return not any(isinstance(event, e.DecisionRefused) for event in _taken(command, command.request, document))


def input_of(document: Document, entry: EntryRef) -> Input | None:
    """The input that a text of this section became, in whatever version, unless a person gave it another file."""
    place = (entry.document_id, entry.section_id)
    taken = (one for one in document.reuses.values() if (one.entry.document_id, one.entry.section_id) == place)
    found = ((reuse, document.inputs.get(reuse.input_id)) for reuse in taken)
    return next((one for reuse, one in found if one and not one.withdrawn and _is_of(reuse, one)), None)


def _is_of(reuse: ReuseView, one: Input) -> bool:
    """Whether the last file of an input is what was taken."""
    last = one.pending if one.pending is not None and not one.pending.staged else one.current
    return reuse.text is None or last is None or last.file.digest == reuse.text.digest


def _reuse(command: Reuse, request: r.ReuseEntry, input_id: str) -> e.EntryReused:
    about = {"entry": request.entry, "input_id": input_id, "requirement_ids": request.requirement_ids}
    return e.EntryReused.model_validate({**command.asked, **about})


def _added(command: Reuse, document: Document) -> Sequence[e.AnyEvent]:
    input_id, name = next(next_ids(document)), _free_name(document, command.name)
    file = InputFile(name=name, artifact=command.text)
    return [
        _reuse(command, command.request, input_id),
        e.DocumentInputAdded(**command.asked, input_id=input_id, file=file),
    ]


def _free_name(document: Document, name: str) -> str:
    taken = {one.name for one in document.inputs.values() if not one.withdrawn}
    stem, dot, suffix = name.rpartition(".")
    names = (name, *(f"{stem} {number}{dot}{suffix}" for number in range(2, len(taken) + 3)))
    return next(each for each in names if each not in taken)


def _replaced(command: Reuse, one: Input) -> e.DocumentInputReplaced:
    about = {"input_id": one.input_id, "version": one.version + 1, "artifact": command.text, "is_text": True}
    return e.DocumentInputReplaced.model_validate({**command.asked, **about})


def noticed(notice: Notice, document: Document) -> Sequence[e.AnyEvent]:
    """The event of what another document says; the same said again gives none."""
    match notice:
        case TakenBy(entry, document_id):
            section = document.sections.get(entry.section_id)
            taken = e.EntryUsed(section_id=entry.section_id, version=entry.version, document_id=document_id)
            return [] if section is None or _has(section, taken) else [taken]
        case Lapsed(entry, lapse):
            return _lapsed(document, entry, lapse)
        case Erased(entry):
            one = input_of(document, entry)
            return [e.DocumentInputWithdrawn(input_id=one.input_id)] if one else []
        case LapseTold(section_id, document_id, lapse):
            section = document.sections.get(section_id)
            told = {use.document_id: use.told for use in section.entry.uses} if section else {}
            event = e.EntryLapseTold(section_id=section_id, document_id=document_id, lapse=lapse)
            return [] if told.get(document_id, lapse) == lapse else [event]
        case _:
            assert_never(notice)


def is_told(state: State, taken: TakenBy) -> bool:
    """Whether a document that takes an entry of this one will be told of its lapse."""
    section = state.sections.get(taken.entry.section_id) if isinstance(state, Document) else None
    return section is not None and any(use.document_id == taken.document_id for use in section.entry.uses)


def _has(section: Section, taken: e.EntryUsed) -> bool:
    """Whether it is known, and nothing was told of it since; one who takes it again is to be told again."""
    uses = section.entry.uses
    known = any((use.document_id, use.version, use.told) == (taken.document_id, taken.version, None) for use in uses)
    return known or (len(uses) >= MOST_USES and all(use.document_id != taken.document_id for use in uses))


def _lapsed(document: Document, entry: EntryRef, lapse: Lapse) -> Sequence[e.AnyEvent]:
    one = input_of(document, entry)
    if one is None or one.pending is not None or document.reuses[one.input_id].entry != entry or one.lapse == lapse:
        return []
    return [e.EntryUseLapsed(input_id=one.input_id, lapse=lapse)]


def notices(document: Document) -> Iterator[tuple[str, Lapsed, LapseTold]]:
    """What documents that took entries of this one are still to be told, and what is noted of that here."""
    used = {name: section for name, section in document.sections.items() if section.entry.uses}
    stale = staleness(document) if used else {}
    for name, section in used.items():
        for use in section.entry.uses:
            lapse = _lapse_of_use(document, section, use, stale=name in stale)
            if lapse is not None and lapse != use.told:
                entry = EntryRef(document_id=document.document_id, section_id=name, version=use.version)
                yield use.document_id, Lapsed(entry, lapse), LapseTold(name, use.document_id, lapse)


def parting(document: Document, *, erases: bool) -> Iterator[tuple[str, Lapsed | Erased]]:
    """What documents that took entries of this one are to be told when it is erased: that it is gone, or to let them
    go as well (``erases``).
    """
    for name, section in document.sections.items():
        for use in section.entry.uses:
            entry = EntryRef(document_id=document.document_id, section_id=name, version=use.version)
            yield use.document_id, Erased(entry) if erases else Lapsed(entry, "gone")


def _lapse_of_use(document: Document, section: Section, use: EntryUse, *, stale: bool) -> Lapse | None:
    """As long as a section is being written anew, what was taken of it is what was approved."""
    taken = next((version for version in section.versions if version.number == use.version), None)
    current, approval = section.current, section.entry.approval
    if taken is None or current is None or approval is None:
        return None
    if taken.draft.digest == current.draft.digest and isinstance(section.phase, AwaitingReview):
        return "unapproved"
    if taken.draft.digest != approval.digest:
        return "changed"
    lapse = lapse_of(document, section, stale=stale)
    return None if lapse == "unapproved" else lapse


def timers(document: Document, _before: timedelta) -> Iterator[Timer]:
    """The times until which entries hold that lie behind the last event."""
    for name, section in document.sections.items():
        entry = section.entry
        if entry.expires and not entry.expired and (document.time is None or entry.expires > document.time):
            yield Timer(name, EXPIRED, entry.number, entry.expires)


def expire(timer: Timer, document: Document) -> Sequence[e.AnyEvent]:
    section = document.sections.get(timer.section_id)
    entry = section.entry if section else NO_ENTRY
    if entry.expires is None or entry.expired or entry.number != timer.number:
        return []
    return [e.EntryExpired(section_id=timer.section_id, expires=entry.expires)]


FEATURE = Feature[LibraryCommand](
    requests=(*get_args(Decided), r.ReuseEntry),
    decide=decide,
    events=(*get_args(e.AnyEntryEvent), *get_args(e.AnyReuseEvent)),
    evolve=evolve,
    after=after,
    timers=timers,
    elapsed={EXPIRED: expire},
)
