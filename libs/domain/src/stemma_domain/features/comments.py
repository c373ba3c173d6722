"""Comments on the text of sections, in threads: made together as one review, answered, resolved and reopened.

No comment changes a text or a status.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.references import ArtifactRef

from stemma_domain.commands import SectionCommand, VersionCommand, refused
from stemma_domain.hooks import Feature
from stemma_domain.state import NOBODY, Document, Person, Section, person_of
from stemma_domain.views import CommentView, ThreadView


@dataclass(frozen=True)
class StoredComment:
    """A comment whose words are stored; with a thread it is an answer in that one."""

    remark: ArtifactRef
    block_id: str | None = None
    thread_id: str | None = None


@dataclass(frozen=True)
class MakeComments(VersionCommand):
    """Make comments on a version, all or none; it may be an earlier one."""

    request = requests.CommentSection
    comments: tuple[StoredComment, ...]


@dataclass(frozen=True)
class Resolve(SectionCommand):
    request = requests.ResolveThread
    thread_id: str


@dataclass(frozen=True)
class Reopen(SectionCommand):
    request = requests.ReopenThread
    thread_id: str


CommentCommand = MakeComments | Resolve | Reopen


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
            return _thread_marked(threads, event, resolved=True, by=person_of(event), at=at)
        case e.SectionThreadReopened():
            return _thread_marked(threads, event, resolved=False, by=NOBODY, at=None)
        case _:
            assert_never(event)


def _commented(thread: Thread | None, made: MadeComment, event: e.SectionCommented, at: datetime | None) -> Thread:
    comment = Comment(made.comment_id, made.remark, event.version, person_of(event), at)
    if thread is None:
        return Thread(made.thread_id, made.block_id, (comment,))
    return Thread(thread.thread_id, thread.block_id, (*thread.comments, comment))


def _thread_marked(
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


def decide(command: CommentCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about comments, or its refusals."""
    section = document.sections[command.section_id]
    match command:
        case MakeComments():
            return list(_refusals(command, section)) or [_made(command, document)]
        case Resolve() | Reopen():
            return [_unfit(command, section) or _marked(command)]
        case _:
            assert_never(command)


def _made(command: MakeComments, document: Document) -> e.SectionCommented:
    comments = []
    for position, stored in enumerate(command.comments, 1):
        comment_id = f"c{document.number + 1}-{position}"
        about = {"comment_id": comment_id, "thread_id": stored.thread_id or comment_id}
        comments.append(MadeComment(**about, block_id=stored.block_id, remark=stored.remark))
    return e.SectionCommented(
        **command.asked, section_id=command.section_id, version=command.version, comments=tuple(comments)
    )


def _refusals(command: MakeComments, section: Section) -> Iterator[e.AnyRefusal]:
    about = refused(command, command.section_id)
    if section.current is None:
        yield e.RefusedNothingWritten(**about)
    elif command.version > section.current_number:
        yield e.RefusedOldVersion(**about, version=command.version, current_version=section.current_number)
    for position, stored in enumerate(command.comments):
        if stored.thread_id is not None and stored.thread_id not in section.threads:
            yield e.RefusedUnknownThread(**about, position=position, thread_id=stored.thread_id)


def _unfit(command: Resolve | Reopen, section: Section) -> e.AnyRefusal | None:
    about = refused(command, command.section_id)
    thread = section.threads.get(command.thread_id)
    if thread is None:
        return e.RefusedUnknownThread(**about, thread_id=command.thread_id)
    if thread.resolved is isinstance(command, Resolve):
        return e.RefusedByThreadStatus(**about, thread_id=command.thread_id, resolved=thread.resolved)
    return None


def _marked(command: Resolve | Reopen) -> e.AnyEvent:
    event = e.SectionThreadResolved if isinstance(command, Resolve) else e.SectionThreadReopened
    return event(**command.asked, section_id=command.section_id, thread_id=command.thread_id)


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


FEATURE = Feature[CommentCommand](commands=(MakeComments, Resolve, Reopen), decide=decide)
