"""Comment on a version, and resolve or reopen a thread. No comment changes a text or a status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.comments import MadeComment
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.state import Document, Section

from stemma_orchestrator.core.commands import SectionCommand, VersionCommand, refused


@dataclass(frozen=True)
class StoredComment:
    """A comment whose words are stored; with a thread it is an answer in that one."""

    remark: ArtifactRef
    block_id: str | None = None
    thread_id: str | None = None


@dataclass(frozen=True)
class Comment(VersionCommand):
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


CommentCommand = Comment | Resolve | Reopen


def decide(command: CommentCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about comments, or its refusals."""
    section = document.sections[command.section_id]
    match command:
        case Comment():
            return list(_refusals(command, section)) or [_made(command, document)]
        case Resolve() | Reopen():
            return [_unfit(command, section) or _marked(command)]
        case _:
            assert_never(command)


def _made(command: Comment, document: Document) -> e.SectionCommented:
    comments = []
    for position, stored in enumerate(command.comments, 1):
        comment_id = f"c{document.number + 1}-{position}"
        about = {"comment_id": comment_id, "thread_id": stored.thread_id or comment_id}
        comments.append(MadeComment(**about, block_id=stored.block_id, remark=stored.remark))
    return e.SectionCommented(
        **command.asked, section_id=command.section_id, version=command.version, comments=tuple(comments)
    )


def _refusals(command: Comment, section: Section) -> Iterator[e.AnyRefusal]:
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
