"""A DOCX that comes back: what people did in it is found and shown, and taken over when a person says so."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.returned import CommentUse, ReturnedDocument, ReturnedSection, WrittenVersion, WrittenVersions
from stemma_contracts.v1.views import ReturnView

from stemma_domain.commands import Asked, RequestMeta, of_document, of_version, refused
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import COMPARE, head_of, job_id, unfitting
from stemma_domain.sections import section_applied
from stemma_domain.state import Document, Lifecycle, Section, person_of, settled
from stemma_domain.texts import next_version

from .editing import change
from .proposals import kept_edit

ReturnRequest = r.ReadReturn | r.ApplyReturn
FILE, VERSIONS = "upload", "versions"
"""The file and all versions that it may show, among what is stored."""
_LONGEST_NAME = 64
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_@-]+")


@dataclass(frozen=True)
class Return:
    """A file that came back with the versions that it may show, and its job while it is being read."""

    view: ReturnView
    versions: ArtifactRef
    job_id: str | None = None


def evolve(document: Document, event: e.AnyReturnEvent) -> Document:
    match event:
        case e.ReturnRequested():
            by = person_of(event)
            view = ReturnView(
                return_id=event.return_id,
                file=event.file,
                asked_by=by.name,
                verified=by.verified,
                asked_at=document.time,
            )
            return _with(document, Return(view, event.versions, job_id(document, COMPARE, event.return_id)))
        case e.ReturnRead():
            read = {"found": event.found, "figures": event.figures}
            return settled(_changed(document, event, **read), event.job_id)
        case e.ReturnUnread():
            problem = Problem(field="", message=event.detail, code=event.code, params=event.params)
            return settled(_changed(document, event, problem=problem), event.job_id)
        case e.ReturnApplied():
            before = document.returns[event.return_id].view.applied
            applied = tuple(dict.fromkeys((*before, *event.sections)))
            return _changed(document, event, applied=applied)
        case _:
            assert_never(event)


def _changed(document: Document, event: e.AnyReturnEvent, **more: object) -> Document:
    before = document.returns[event.return_id]
    return _with(document, Return(before.view.model_copy(update=more), before.versions))


def _with(document: Document, one: Return) -> Document:
    return replace(document, returns={**document.returns, one.view.return_id: one})


def written_versions(document: Document) -> WrittenVersions:
    return WrittenVersions(
        versions=tuple(
            WrittenVersion(section_id=name, version=version.number, draft=version.draft)
            for name, section in document.sections.items()
            for version in section.versions
        )
    )


@dataclass(frozen=True)
class TakenComment:
    author: str
    remark: ArtifactRef
    asks: bool


@dataclass(frozen=True)
class TakenSection:
    """What is taken over of a section in the version that was compared, with all of its words stored.

    ``edits`` are texts, each with its author; ``guidance`` are words for the editor agent, and where they are stored.
    """

    section_id: str
    version: int
    edits: tuple[tuple[str, ArtifactRef], ...] = ()
    comments: tuple[TakenComment, ...] = ()
    guidance: tuple[str, ArtifactRef] | None = None


@dataclass(frozen=True)
class TakeOver(Asked[r.ApplyReturn]):
    """A request with what of the file it takes over."""

    taken: tuple[TakenSection, ...] = ()


def chosen(found: ReturnedDocument, request: r.ApplyReturn) -> Iterator[ReturnedSection]:
    """The sections that a request is about; what both changed is taken over only of those that it names."""
    for section in found.sections:
        is_named = request.sections is not None and section.section_id in request.sections
        if is_named or (request.sections is None and not section.conflicts):
            yield section


def use_of(comment_id: str, request: r.ApplyReturn) -> CommentUse:
    return request.comments_as.get(comment_id, request.comments)


def name_of(author: str) -> str:
    """An author in the letters that names of people have here; empty if the file names nobody."""
    plain = unicodedata.normalize("NFKD", author).encode("ascii", "ignore").decode()
    name = _NOT_IN_NAME.sub(".", plain).strip(".")[:_LONGEST_NAME]
    if author.strip() and not name:
        return f"word-{sha256(author.encode(errors='replace')).hexdigest()[:8]}"
    return name


def decide(command: Asked[ReturnRequest], document: Document) -> Sequence[e.AnyEvent]:
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    match command.request:
        case r.ReadReturn():
            name, file, versions = f"return-{document.number + 1}", command.stored[FILE], command.stored[VERSIONS]
            return [e.ReturnRequested(**command.asked, return_id=name, file=file, versions=versions)]
        case r.ApplyReturn() as request:
            taken = command.taken if isinstance(command, TakeOver) else ()
            if problem := _problem(request, document, taken):
                return [refused(command, problem)]
            return _applied(command, request, document, taken)
        case _:
            assert_never(command.request)


def _problem(request: r.ApplyReturn, document: Document, taken: Sequence[TakenSection]) -> Problem | None:
    one = document.returns.get(request.return_id)
    if one is None or one.view.found is None:
        return Problem.of("return_unknown", "return_id", return_id=request.return_id)
    if one.view.found.digest != request.digest:
        return Problem.of("return_other_shown", "digest", return_id=request.return_id)
    return None if taken else Problem.of("return_nothing", "sections", return_id=request.return_id)


def _applied(
    command: Asked[ReturnRequest], request: r.ApplyReturn, document: Document, taken: Sequence[TakenSection]
) -> Sequence[e.AnyEvent]:
    """All of it or none: a section that has another version than the one that was compared keeps it all back."""
    names = tuple(one.section_id for one in taken)
    events: list[e.AnyEvent] = [
        e.ReturnApplied(**command.asked, return_id=request.return_id, digest=request.digest, sections=names)
    ]
    for one in taken:
        section = document.sections.get(one.section_id)
        current = section.current_number if section else 0
        if section is None or current != one.version:
            return [refused(command, of_version(one.version, current), one.section_id)]
        for event in _of_section(command, document, section, one, document.number + 1 + len(events)):
            if isinstance(event, e.DecisionRefused):
                return [event]
            events.append(event)
    return events


def _of_section(
    command: Asked[ReturnRequest], document: Document, section: Section, taken: TakenSection, number: int
) -> Iterator[e.AnyEvent]:
    for author, draft in taken.edits:
        edited = _edited(_by(command.asked, author), section, draft, number)
        document, number = section_applied(document, edited), number + 1
        section = document.sections[taken.section_id]
        yield edited
    yield from _commented(command.asked, section, taken.comments, number)
    if taken.guidance:
        words, stored = taken.guidance
        name, version = command.request.document_id, section.current_number
        wanted = r.EditSection(document_id=name, section_id=taken.section_id, version=version, instruction=words)
        yield change(Asked(wanted, command.asked, command.time, {"instruction": stored}), document)


def _by(asked: RequestMeta, author: str) -> RequestMeta:
    """Who did it by the file, whom nobody vouches for; whoever takes it over, if the file names nobody."""
    if not (name := name_of(author)):
        return asked
    return {**asked, "actor": name, "actor_verified": False}


def _edited(asked: RequestMeta, section: Section, draft: ArtifactRef, number: int) -> e.SectionEdited:
    return e.SectionEdited(
        **asked,
        section_id=section.plan.section_id,
        version=next_version(section, draft),
        draft=draft,
        origin=Origin.WRITTEN,
        upstream=section.current.rests_on if section.current else (),
        keeps_edit=kept_edit(section, number),
    )


def _commented(
    asked: RequestMeta, section: Section, comments: Sequence[TakenComment], number: int
) -> Iterator[e.SectionCommented]:
    """An event for each author; ``number`` is that of the first one in the log."""
    by_author: dict[str, list[TakenComment]] = {}
    for comment in comments:
        by_author.setdefault(comment.author, []).append(comment)
    for event_number, (author, own) in enumerate(by_author.items(), number):
        ids = (f"c{event_number}-{position}" for position in range(1, len(own) + 1))
        made = (
            MadeComment(comment_id=name, thread_id=name, remark=comment.remark, asks=comment.asks)
            for name, comment in zip(ids, own, strict=True)
        )
        yield e.SectionCommented(
            **_by(asked, author),
            section_id=section.plan.section_id,
            version=section.current_number,
            comments=tuple(made),
        )


def work(document: Document) -> Iterator[Work]:
    """The files that are being read, also while the document is paused."""
    for one in document.returns.values():
        if one.job_id is not None:
            yield one.job_id, _COMPARING, (document, one)


def _compare(document: Document, one: Return) -> j.CompareReturn:
    assert one.job_id is not None
    return j.CompareReturn(
        job_id=one.job_id,
        document=head_of(document),
        return_id=one.view.return_id,
        file=one.view.file,
        versions=one.versions,
    )


def _compared(_: Document, one: Return, outcome: o.Outcome) -> e.AnyReturnEvent:
    match outcome:
        case o.ReturnCompared():
            return filled_from(e.ReturnRead, outcome, return_id=one.view.return_id)
        case o.ReturnNotCompared():
            problem = Problem(field="", message=outcome.detail, code=outcome.code, params=outcome.params)
            return _unread(one, outcome, problem)
        case o.JobDead():
            return _unread(one, outcome, Problem.of("job_dead", reason=outcome.detail or "no reason given"))
        case _:
            raise unfitting(outcome)


def _unread(one: Return, outcome: o.Outcome, problem: Problem) -> e.ReturnUnread:
    return e.ReturnUnread(
        return_id=one.view.return_id,
        job_id=outcome.job_id,
        detail=problem.message[:300],
        code=problem.code,
        params=problem.params,
    )


_COMPARING = Task(_compare, _compared, of_section=False)

FEATURE = Feature[Asked[ReturnRequest]](
    requests=get_args(ReturnRequest),
    decide=decide,
    events=get_args(e.AnyReturnEvent),
    evolve=evolve,
    work=work,
    job_owners={COMPARE: subjects.CONVERTER},
)
