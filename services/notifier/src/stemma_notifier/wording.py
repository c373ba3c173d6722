"""A notice in plain words."""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.shown import shown
from stemma_contracts.v1.decision_links import Verb
from stemma_contracts.v1.notifications import Occasion

from .notices import Budget, Notice, NoticedSection

_SAID = {
    Occasion.WAITING: "waits for a decision",
    Occasion.FINISHED: "is finished",
    Occasion.FAILED: "failed",
    Occasion.STALE: "is stale",
    Occasion.BUDGET: "reached a budget",
    Occasion.TEST: "is a test",
    Occasion.ASSIGNED: "is assigned",
    Occasion.DUE_SOON: "is due soon",
    Occasion.OVERDUE: "is overdue",
}
_OFFERED = {Verb.APPROVE: "Approve it", Verb.REVISE: "Ask for a revision"}
_LONGEST = 120


def subject_of(notice: Notice) -> str:
    """The heading of a mail."""
    return _one_line(f"Stemma: {_what(notice)} {_SAID[notice.occasion]}")


def words_of(notice: Notice) -> list[str]:
    """The lines of a mail."""
    named = [f"{_one_line(section.title or section.section_id)} ({section.section_id})" for section in notice.sections]
    of = f"Document {notice.document_id}, of the kind {notice.kind}." if notice.document_id else "No document."
    return [
        f"{_what(notice)} {_SAID[notice.occasion]}.",
        of,
        *(f"Section {name}" for name in named),
        *([f"Version {notice.version}."] if notice.version is not None else []),
        *([_spent(notice.budget)] if notice.budget else []),
        *([f"It is assigned to {notice.assignee}."] if notice.assignee else []),
        *([f"Due: {notice.due.isoformat(' ', 'minutes')}."] if notice.due else []),
        f"See it with: stemma show {notice.document_id}" if notice.document_id else "It arrived.",
        f"You get this by the rule {notice.rule_id}; stemma notify remove {notice.rule_id} ends it.",
    ]


def offers_of(links: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the links of a mail are for, and where they lead."""
    return [(_OFFERED[Verb(verb)], link) for verb, link in links.items()]


def _spent(budget: Budget) -> str:
    limits = [f"{budget.tokens:,} tokens"] if budget.tokens is not None else []
    limits += [f"${budget.cost:,.2f}"] if budget.cost is not None else []
    spent = budget.spent
    return f"It cost {spent.tokens:,} tokens and ${spent.cost:,.2f} so far; the rule names {' and '.join(limits)}."


def _what(notice: Notice) -> str:
    match notice.sections:
        case (NoticedSection(section_id=name, title=title),):
            return _one_line(title or name)
        case ():
            return f"Document {notice.document_id}" if notice.document_id else "This"
        case several:
            return f"One of {len(several)} sections"


def _one_line(text: str) -> str:
    """On one line, without what is unseen or turns the direction."""
    return " ".join(shown(text).split())[:_LONGEST]
