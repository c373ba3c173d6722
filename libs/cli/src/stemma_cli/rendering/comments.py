"""Comments on a section: the threads with the passages that they are about."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_client.comments import ReadThread
from stemma_contracts.v1.views import SectionView

from stemma_cli.output import clean_line

GONE = "passage not in the text any more"


def lines_of_thread(thread: ReadThread) -> Iterator[str]:
    """A thread for people: what it is about, then who said what."""
    where = f"line {thread.line}" if thread.line else GONE if thread.gone else "whole section"
    state = f", resolved by {thread.view.resolved_by}" if thread.view.resolved else ""
    quote = f": “{clean_line(thread.quote)}”" if thread.quote else ""
    yield f"{thread.view.thread_id} ({where}{state}){quote}"
    for comment in thread.comments:
        text = "not stored any more" if comment.text is None else clean_line(comment.text)
        yield f"  {comment.view.made_by}, version {comment.view.version}: {text}"


def comments_words(section: SectionView) -> str:
    """How many threads wait to be resolved; nothing if none does."""
    count = len(section.open_threads)
    return f"open comments: {count}" if count else ""
