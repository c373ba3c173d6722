"""What an event has to tell, which rules want to hear of it, and the notice that each gets: pure.

A notice waits in a queue of its own until its receiver has it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from pydantic import AwareDatetime, Field
from stemma_contracts import Contract, registry, subjects
from stemma_contracts.tokens import Token
from stemma_contracts.v1 import events
from stemma_contracts.v1.decision_links import DecisionLink, Verb
from stemma_contracts.v1.events import AnyEvent, SectionEdited, SectionRestored, SectionReviewRequested
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import Usage


class NoticedSection(Contract):
    """A section by its id and its title."""

    section_id: Token
    title: str = ""


class Budget(Contract):
    """The limits of a rule that a document has reached, and what it had cost by then."""

    tokens: int | None = None
    cost: float | None = None
    spent: Usage

    @property
    def name(self) -> str:
        return f"budget.{self.tokens}.{self.cost}"


class Notice(Contract):
    """What somebody is told: names of documents and sections, and nothing of their text."""

    notice_id: str = Field(max_length=100)
    tenant: Token
    owner: Token
    rule_id: Token
    occasion: Occasion
    happened_at: AwareDatetime
    event: str = ""
    sequence: int = 0
    document_id: Token | None = None
    kind: Token | None = None
    sections: tuple[NoticedSection, ...] = ()
    version: int | None = None
    budget: Budget | None = None
    assignee: str | None = None
    due: AwareDatetime | None = None


def notice_id(cause: str, tenant: str, owner: str, rule_id: str) -> str:
    """The same for the same cause and rule, whoever makes it and however often; a receiver drops doubles by it.

    The cause is the event, or that a document reached a limit.
    """
    return f"msg_{sha256('/'.join((cause, tenant, owner, rule_id)).encode()).hexdigest()[:40]}"


NONE: Mapping[str, str] = {}
REVIEWS = tuple(registry.entry_of(one).token for one in (SectionReviewRequested, SectionEdited, SectionRestored))
"""Events that a version waits for a review by, if they have anything to tell."""


@dataclass(frozen=True)
class Links:
    """``base`` is the address of the gateway as people reach it, nothing where there is none."""

    base: str = ""
    valid_for: timedelta = timedelta(days=7)

    def of(self, notice: Notice) -> Mapping[str, str]:
        """The address for each verb; none where a person has nothing to decide, or no person is told."""
        if not self.base or notice.event not in REVIEWS or notice.owner == subjects.PROGRAMS:
            return NONE
        match notice.document_id, notice.sections, notice.version:
            case str(document), (NoticedSection(section_id=section),), int(version):
                return {verb.value: self._link(notice, document, section, version, verb) for verb in Verb}
            case _:
                return NONE

    def _link(self, notice: Notice, document: str, section: str, version: int, verb: Verb) -> str:
        link = DecisionLink(
            tenant=notice.tenant,
            person=notice.owner,
            document_id=document,
            section_id=section,
            version=version,
            verb=verb,
            expires_at=notice.happened_at + self.valid_for,
        )
        return f"{self.base.rstrip('/')}/decide/{link.token}"


MOST_SECTIONS = 100
_OF_PEOPLE = ("question", "upload")


@dataclass(frozen=True)
class Spent:
    before: Usage
    after: Usage


@dataclass(frozen=True)
class Happening:
    """One thing that somebody may want to hear of; one that has an ``assignee`` is that person's and no other's."""

    occasion: Occasion
    sections: tuple[str, ...] = ()
    version: int | None = None
    spent: Spent | None = None
    assignee: str = ""
    due: datetime | None = None


def happenings(event: AnyEvent) -> tuple[Happening, ...]:
    """What an event has to tell; most have nothing."""
    stale = tuple(mark.section_id for mark in event.makes_stale[:MOST_SECTIONS])
    return (*_of_itself(event), *((Happening(Occasion.STALE, stale),) if stale else ()), *_of_its_cost(event))


def _of_its_cost(event: AnyEvent) -> tuple[Happening, ...]:
    """An event of an earlier release does not say what was spent before it."""
    if not isinstance(event, events.PaidEvent) or event.usage_before is None:
        return ()
    spent = Spent(event.usage_before, event.usage_before.plus(event.usage))
    return (Happening(Occasion.BUDGET, spent=spent),)


def _of_itself(event: AnyEvent) -> tuple[Happening, ...]:
    match event:
        case (
            events.SectionReviewRequested(section_id=section, version=version)
            | events.SectionEdited(section_id=section, version=version, awaits_review=True)
            | events.SectionRestored(section_id=section, version=version, awaits_review=True)
        ):
            return (Happening(Occasion.WAITING, (section,), version),)
        case events.SectionNeedRaised(section_id=section, need=need) if need.kind in _OF_PEOPLE:
            return (Happening(Occasion.WAITING, (section,)),)
        case events.SectionEditProposed(section_id=section, version=version):
            return (Happening(Occasion.WAITING, (section,), version),)
        case events.DocumentBudgetReached(sections=sections):
            return (Happening(Occasion.WAITING, sections[:MOST_SECTIONS]),)
        case events.SectionAssigned(section_id=section, assignee=assignee, due=due):
            return (Happening(Occasion.ASSIGNED, (section,), assignee=assignee, due=due),)
        case events.SectionDueSoon(section_id=section, assignee=assignee, due=due):
            return (Happening(Occasion.DUE_SOON, (section,), assignee=assignee, due=due),)
        case events.SectionOverdue(section_id=section, assignee=assignee, due=due):
            return (Happening(Occasion.OVERDUE, (section,), assignee=assignee, due=due),)
        case events.DocumentCompleted():
            return (Happening(Occasion.FINISHED),)
        case events.SectionFailure(section_id=section):
            return (Happening(Occasion.FAILED, (section,)),)
        case events.DocumentFailed() | events.ExportFailed() | events.ExportJobDead():
            return (Happening(Occasion.FAILED),)
        case _:
            return ()


def wanted_by(owner: str, rule: NotificationRule, document_id: str, told: Sequence[Happening]) -> list[Happening]:
    """What a rule of an owner makes of an event: it is told of it once, and of a budget besides."""
    if rule.document_ids and document_id not in rule.document_ids:
        return []
    heard = [one for one in told if one.occasion in rule.on and _is_for(owner, one)]
    once = [one for one in heard if one.occasion is not Occasion.BUDGET]
    return [*once[:1], *(one for one in told if one.spent and reached(rule, one.spent))]


def _is_for(owner: str, one: Happening) -> bool:
    return not one.assignee or owner in (one.assignee, subjects.PROGRAMS)


def reached(rule: NotificationRule, spent: Spent) -> Budget | None:
    """What of the budget of a rule an event reaches: of all events of a document, one reaches each of its limits."""
    tokens, cost = rule.tokens, rule.cost
    of_tokens = tokens is not None and spent.before.tokens < tokens <= spent.after.tokens
    of_cost = cost is not None and spent.before.cost < cost <= spent.after.cost
    if not of_tokens and not of_cost:
        return None
    return Budget(tokens=tokens if of_tokens else None, cost=cost if of_cost else None, spent=spent.after)


def is_of_kind(rule: NotificationRule, document: DocumentSummary) -> bool:
    return not rule.kinds or document.kind in rule.kinds
