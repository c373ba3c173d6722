"""Comments on the text of sections, in threads: made together as one review, answered, resolved and reopened.

No comment changes a text or a status.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import Asked, refused_section
from stemma_domain.hooks import Feature
from stemma_domain.state import NOBODY, Document, Person, Section, person_of
from stemma_domain.views import CommentView, ThreadView

CommentRequest = r.CommentSection | r.ResolveThread | r.ReopenThread


@dataclass(frozen=True)
class Comment:
    """A comment: who made it, when, and on which version; its words are a `Remark` in ``remark``."""

    comment_id: str
    remark: ArtifactRef
    version: int
    author: Person = NOBODY
    made_at: datetime | None = None


@dataclass(frozen=True)
class Thread:
    """Comments that answer each other; the first one says which passage of its version they are about.

    ``block_id`` is the block that this passage begins in, as far as it was known.
    """

    thread_id: str
    block_id: str | None
    comments: tuple[Comment, ...]
    resolved: bool = False
    resolved_by: Person = NOBODY
    resolved_at: datetime | None = None


Threads = Mapping[str, Thread]


def threads_after(threads: Threads, event: e.AnyCommentEvent, at: datetime | None) -> Threads:
    """The threads of a section after an event of this time."""
    match event:
        case e.SectionCommented():
            for made in event.comments:
                threads = {**threads, made.thread_id: _commented(threads.get(made.thread_id), made, event, at)}
            return threads
        case e.SectionThreadResolved():
            return _marked(threads, event, resolved=True, by=person_of(event), at=at)
        case e.SectionThreadReopened():
            return _marked(threads, event, resolved=False, by=NOBODY, at=None)
        case _:
            assert_never(event)


def _commented(thread: Thread | None, made: MadeComment, event: e.SectionCommented, at: datetime | None) -> Thread:
    comment = Comment(made.comment_id, made.remark, event.version, person_of(event), at)
    if thread is None:
        return Thread(made.thread_id, made.block_id, (comment,))
    return Thread(thread.thread_id, thread.block_id, (*thread.comments, comment))


def _marked(
    threads: Threads,
    event: e.SectionThreadResolved | e.SectionThreadReopened,
    *,
    resolved: bool,
    by: Person,
    at: datetime | None,
) -> Threads:
    """What is said of a thread that the log does not have changes nothing."""
    if (thread := threads.get(event.thread_id)) is None:
        return threads
    return {**threads, event.thread_id: replace(thread, resolved=resolved, resolved_by=by, resolved_at=at)}


def decide(command: Asked[CommentRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about comments, or its refusals."""
    section = document.sections[command.request.section_id]
    match command.request:
        case r.CommentSection() as request:
            return list(_refusals(command, request, section)) or [_made(command, request, document)]
        case r.ResolveThread() | r.ReopenThread() as request:
            return [_unfit(command, request, section) or _decided(command, request)]
        case _:
            assert_never(command.request)


def _made(command: Asked[CommentRequest], request: r.CommentSection, document: Document) -> e.SectionCommented:
    comments = []
    for position, comment in enumerate(request.comments):
        comment_id = f"c{document.number + 1}-{position + 1}"
        about = {"comment_id": comment_id, "thread_id": comment.thread_id or comment_id}
        remark = command.stored[f"comments.{position}"]
        comments.append(MadeComment(**about, block_id=comment.block_id, remark=remark))
    return e.SectionCommented(
        **command.asked, section_id=request.section_id, version=request.version, comments=tuple(comments)
    )


def _refusals(command: Asked[CommentRequest], request: r.CommentSection, section: Section) -> Iterator[e.AnyRefusal]:
    about, version = refused_section(command), request.version
    if section.current is None:
        yield e.RefusedNothingWritten(**about)
    elif version > section.current_number:
        yield e.RefusedOldVersion(**about, version=version, current_version=section.current_number)
    for position, comment in enumerate(request.comments):
        if comment.thread_id is not None and comment.thread_id not in section.threads:
            yield e.RefusedUnknownThread(**about, position=position, thread_id=comment.thread_id)


def _unfit(
    command: Asked[CommentRequest], request: r.ResolveThread | r.ReopenThread, section: Section
) -> e.AnyRefusal | None:
    about = refused_section(command)
    thread = section.threads.get(request.thread_id)
    if thread is None:
        return e.RefusedUnknownThread(**about, thread_id=request.thread_id)
    if thread.resolved is isinstance(request, r.ResolveThread):
        return e.RefusedByThreadStatus(**about, thread_id=request.thread_id, resolved=thread.resolved)
    return None


def _decided(command: Asked[CommentRequest], request: r.ResolveThread | r.ReopenThread) -> e.AnyEvent:
    event = e.SectionThreadResolved if isinstance(request, r.ResolveThread) else e.SectionThreadReopened
    return event(**command.asked, section_id=request.section_id, thread_id=request.thread_id)


def thread_view(thread: Thread) -> ThreadView:
    """The view of a thread of comments."""
    comments = tuple(
        CommentView(each.comment_id, each.remark, each.version, each.author.name, each.made_at, each.author.verified)
        for each in thread.comments
    )
    return ThreadView(
        thread_id=thread.thread_id,
        comments=comments,
        block_id=thread.block_id,
        resolved=thread.resolved,
        resolved_by=thread.resolved_by.name,
        resolved_at=thread.resolved_at,
    )


FEATURE = Feature[Asked[CommentRequest]](requests=(r.CommentSection, r.ResolveThread, r.ReopenThread), decide=decide)
