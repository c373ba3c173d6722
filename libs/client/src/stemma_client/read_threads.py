"""Threads of comments as they are read: with their words, and the place that they are about now."""

from __future__ import annotations

from dataclasses import dataclass

from stemma_contracts.v1.views import CommentView, ThreadView


@dataclass(frozen=True)
class ReadComment:
    """A comment with its words; none where they are not stored any more."""

    view: CommentView
    text: str | None


@dataclass(frozen=True)
class ReadThread:
    """A thread with its words, and where in a version, mostly the current one, its passage stands.

    ``quote`` is empty if it is about the whole section. ``start`` and ``end`` are places in the text, ``line`` counts
    from 1; all are None if the passage is not there any more (``gone``) or there is none.
    """

    view: ThreadView
    comments: tuple[ReadComment, ...]
    quote: str = ""
    start: int | None = None
    end: int | None = None
    line: int | None = None
    gone: bool = False
