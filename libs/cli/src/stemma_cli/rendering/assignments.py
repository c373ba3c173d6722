"""Who is asked to see to a section, and by when, in words."""

from __future__ import annotations

from datetime import UTC, datetime


def assignment_words(assignee: str, due: datetime | None, now: datetime | None = None) -> str:
    """Who is asked, and by when in the time of this machine; nothing where nobody in particular is."""
    return ", ".join(filter(None, (assignee, due_words(due, now))))


def due_words(due: datetime | None, now: datetime | None = None) -> str:
    """Until when, or since when it is overdue."""
    if due is None:
        return ""
    is_past = due <= (now or datetime.now(UTC))
    return f"{'overdue since' if is_past else 'due'} {due.astimezone():%Y-%m-%d %H:%M}"
