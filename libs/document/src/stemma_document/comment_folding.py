"""Events about comments, folded into the threads of a section."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import MadeComment

from .comment_state import Comment, Thread
from .persons import NOBODY, Person, person_of

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
