"""Comments on the text of sections, in threads: made together as one review, answered, resolved and reopened.

No comment changes a text or a status.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.views import CommentView, ThreadView

from stemma_domain.commands import Asked, of_version, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import Document, Section, person_of, with_section

CommentRequest = r.CommentSection | r.ResolveThread | r.ReopenThread


Threads = Mapping[str, ThreadView]


def evolve(document: Document, event: e.AnyCommentEvent) -> Document:
    section = document.sections[event.section_id]
    return with_section(document, replace(section, threads=_threads_after(section.threads, event, document.time)))


def _threads_after(threads: Threads, event: e.AnyCommentEvent, at: datetime | None) -> Threads:
    match event:
        case e.SectionCommented():
            for made in event.comments:
                threads = {**threads, made.thread_id: _commented(threads.get(made.thread_id), made, event, at)}
            return threads
        case e.SectionThreadResolved():
            return _marked(threads, event, resolved=True, resolved_by=person_of(event).name, resolved_at=at)
        case e.SectionThreadReopened():
            return _marked(threads, event, resolved=False, resolved_by="", resolved_at=None)
        case _:
            assert_never(event)


def _commented(
    thread: ThreadView | None, made: MadeComment, event: e.SectionCommented, at: datetime | None
) -> ThreadView:
    by = person_of(event)
    comment = CommentView(
        comment_id=made.comment_id,
        remark=made.remark,
        version=event.version,
        made_by=by.name,
        made_at=at,
        verified=by.verified,
    )
    first = thread or made
    before = thread.comments if thread else ()
    return ThreadView(thread_id=made.thread_id, block_id=first.block_id, asks=first.asks, comments=(*before, comment))


def _marked(threads: Threads, event: e.SectionThreadResolved | e.SectionThreadReopened, **mark: object) -> Threads:
    """What is said of a thread that the log does not have changes nothing."""
    if (thread := threads.get(event.thread_id)) is None:
        return threads
    return {**threads, event.thread_id: thread.model_copy(update=mark)}


def decide(command: Asked[CommentRequest], document: Document) -> Sequence[e.AnyEvent]:
    section = document.sections[command.request.section_id]
    match command.request:
        case r.CommentSection() as request:
            return list(_refusals(command, request, section)) or [_made(command, request, document)]
        case r.ResolveThread() | r.ReopenThread() as request:
            is_resolving = isinstance(request, r.ResolveThread)
            problem = problem_of_thread(section, request.thread_id, resolved=not is_resolving)
            return [refused_section(command, problem) if problem else _decided(command, request)]
        case _:
            assert_never(command.request)


def _made(command: Asked[CommentRequest], request: r.CommentSection, document: Document) -> e.SectionCommented:
    comments = []
    for position, comment in enumerate(request.comments):
        comment_id = f"c{document.number + 1}-{position + 1}"
        about = {"comment_id": comment_id, "thread_id": comment.thread_id or comment_id}
        remark = command.stored[f"comments.{position}"]
        comments.append(MadeComment(**about, block_id=comment.block_id, remark=remark, asks=comment.asks))
    return e.SectionCommented(
        **command.asked, section_id=request.section_id, version=request.version, comments=tuple(comments)
    )


def _refusals(
    command: Asked[CommentRequest], request: r.CommentSection, section: Section
) -> Iterator[e.DecisionRefused]:
    if section.current is None:
        yield refused_section(command, Problem.of("nothing_written", "section_id"))
    elif request.version > section.current_number:
        yield refused_section(command, of_version(request.version, section.current_number))
    for position, comment in enumerate(request.comments):
        if comment.thread_id is not None and comment.thread_id not in section.threads:
            field = f"comments.{position}.thread_id"
            yield refused_section(command, Problem.of("thread_unknown", field, thread_id=comment.thread_id))


def problem_of_thread(section: Section, thread_id: str, *, resolved: bool) -> Problem | None:
    """The problem of a decision about a thread that has to be resolved, or open."""
    thread = section.threads.get(thread_id)
    if thread is None:
        return Problem.of("thread_unknown", "thread_id", thread_id=thread_id)
    if thread.resolved is not resolved:
        return Problem.of("thread_resolved" if thread.resolved else "thread_open", "thread_id", thread_id=thread_id)
    return None


def _decided(command: Asked[CommentRequest], request: r.ResolveThread | r.ReopenThread) -> e.AnyEvent:
    event = e.SectionThreadResolved if isinstance(request, r.ResolveThread) else e.SectionThreadReopened
    return event(**command.asked, section_id=request.section_id, thread_id=request.thread_id)


def view(section: Section) -> Mapping[str, Any]:
    return {"threads": tuple(section.threads.values())}


FEATURE = Feature[Asked[CommentRequest]](
    requests=get_args(CommentRequest), decide=decide, events=get_args(e.AnyCommentEvent), evolve=evolve, view=view
)
