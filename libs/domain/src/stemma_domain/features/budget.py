"""The budget of a document, and that of its tenant: a person is asked before work that would pass one begins.

What is under way is never cut off. A piece of work takes, by all that is known, what such work took in the document
before; where nobody knows, no other is begun beside it. So the first section of a document tells what the next take.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Bound, Budget, BudgetQuestion, BudgetView, Whose
from stemma_contracts.v1.usage import MonthUsage, Usage

from stemma_domain.commands import Asked, Command, of_document, refused
from stemma_domain.costs import NOTHING, Costs, Runs, Usual, Work, expected, usual
from stemma_domain.features.proposals import Proposing
from stemma_domain.hooks import Feature
from stemma_domain.state import (
    UNTOLD,
    AllowanceUntold,
    AwaitingAnswer,
    Document,
    Generating,
    Lifecycle,
    NeedDispatched,
    Resuming,
    Revising,
    Section,
    Validating,
)

BudgetRequest = r.SetBudget | r.AnswerBudget


@dataclass(frozen=True)
class Spending:
    """The budget of a document, its open question, and what a person said to the last.

    ``once`` are sections that may be written although that passes it, ``left`` those that nobody is to write before
    there is another budget.
    """

    budget: Budget
    question: BudgetQuestion | None = None
    once: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()


NO_BUDGET = Spending(Budget())


def _of(document: Document) -> Spending:
    return document.spending or NO_BUDGET


def evolve(document: Document, event: e.AnyBudgetEvent) -> Document:
    return replace(document, spending=_after(_of(document), event))


def _after(spending: Spending, event: e.AnyBudgetEvent) -> Spending:
    match event:
        case e.DocumentBudgetSet():
            return Spending(event.budget)
        case e.DocumentBudgetReached():
            return replace(spending, question=BudgetQuestion.model_validate(dict(event)))
        case e.DocumentBudgetRenewed():
            return replace(spending, question=None)
        case e.DocumentBudgetAnswered():
            named = frozenset(spending.question.sections if spending.question else ())
            once, left = (named, frozenset[str]()) if event.answer == "once" else (frozenset[str](), named)
            return replace(spending, question=None, once=spending.once | once, left=spending.left | left)
        case _:
            assert_never(event)


def after(document: Document, event: e.AnyEvent) -> Document:
    """Leave to pass the budget holds for one writing, and nobody is asked any more about what begins."""
    spending = _of(document)
    question = _without(spending.question, event.starts)
    if question == spending.question and not spending.once.intersection(event.starts):
        return document
    once = spending.once.difference(event.starts)
    return replace(document, spending=replace(spending, question=question, once=once))


def _without(question: BudgetQuestion | None, begun: Sequence[str]) -> BudgetQuestion | None:
    if question is None or not begun:
        return question
    waits = tuple(name for name in question.sections if name not in begun)
    return question.model_copy(update={"sections": waits}) if waits else None


def decide(command: Asked[BudgetRequest], document: Document) -> Sequence[e.AnyEvent]:
    spending = _of(document)
    if document.lifecycle is Lifecycle.CANCELLED:
        return [refused(command, of_document(document))]
    match command.request:
        case r.SetBudget(budget=budget) if budget == spending.budget and not spending.left:
            return [refused(command, Problem.of("budget_same", "budget"))]
        case r.SetBudget(budget=budget):
            return [e.DocumentBudgetSet(**command.asked, budget=budget)]
        case r.AnswerBudget() as request:
            if spending.question is None or spending.question.question != request.question:
                return [refused(command, Problem.of("budget_question_closed", "question"))]
            return [e.DocumentBudgetAnswered(**command.asked, question=request.question, answer=request.answer)]
        case _:
            assert_never(command.request)


@dataclass(frozen=True)
class Estimates:
    """What work in a document will probably take, as the document itself tells."""

    document: Document

    def of(self, section_id: str, work: Work) -> Usage | None:
        """The same as before, else as with others of its kind, else the most that any took."""
        kind = self.document.sections[section_id].plan.kind
        found = expected(self._costs, section_id, kind, work, {}) or self._usual.get((kind, work))
        return found.usage if found else self._most.get(work)

    @cached_property
    def _costs(self) -> Costs:
        """Those of what ended: nobody knows what a writing that goes on comes to."""
        runs = self.document.costs.runs
        for name, section in self.document.sections.items():
            if _is_written(section) and (found := runs.get((name, "writing"))) is not None:
                runs = runs.insert((name, "writing"), found.before)
        return replace(self.document.costs, runs=runs)

    @cached_property
    def _usual(self) -> Usual:
        kinds = {name: section.plan.kind for name, section in self.document.sections.items()}
        return usual([(kinds, self._costs)])

    @cached_property
    def _most(self) -> Mapping[Work, Usage]:
        took = sorted(((run.usage, work) for (_, work), run in self._usual.items()), key=lambda one: _size(one[0]))
        return {work: usage for usage, work in took}


def _size(usage: Usage) -> tuple[float, int]:
    return usage.cost, usage.tokens


@dataclass(frozen=True)
class Account:
    """A budget that counts for a document, and what was spent of it so far."""

    whose: Whose
    budget: Budget
    spent: Usage


@dataclass(frozen=True)
class Passed:
    account: Account
    bound: Bound


def _accounts(document: Document) -> list[Account]:
    """The budgets that count, that of the document first; raises `AllowanceUntold`."""
    own, allowance = _of(document).budget, document.allowance
    found = [Account("document", own, document.usage)] if own != NO_BUDGET.budget else []
    if allowance is None:
        return found
    if allowance is UNTOLD:
        raise AllowanceUntold
    spent = allowance.others.plus(spent_in(document.usage, document.month, allowance.month))
    return [*found, Account("tenant", allowance.budget, spent)]


def spent_in(usage: Usage, latest: MonthUsage | None, month: str) -> Usage:
    """What of a usage came in a month, which is the latest of it or later; all of it if none is named."""
    if not month:
        return usage
    return latest.usage if latest and latest.month == month else NOTHING


def _passed(accounts: Sequence[Account], added: Usage) -> Passed | None:
    passed = ((one, one.budget.passed_by(one.spent.plus(added))) for one in accounts)
    return next((Passed(one, bound) for one, bound in passed if bound), None)


def within(document: Document, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[e.AnyEvent]]:
    """Those of the sections that may begin now, and the question about others, if nobody was asked about them yet."""
    spending, accounts = _of(document), _accounts(document) if wanted else []
    if not accounts:
        return tuple(wanted), []
    begins, waits, first = list[str](), list[str](), None
    estimates = Estimates(document)
    added, alone = reserve(document, estimates), not any(map(_is_under_way, document.sections.values()))
    for name in wanted:
        takes = estimates.of(name, "writing")
        passed = _passed(accounts, added.plus(takes or A_CALL))
        if name in spending.once or (passed is None and (takes is not None or alone)):
            begins.append(name)
            added, alone = added.plus(takes or NOTHING), False
        elif passed is not None and name not in spending.left:
            waits.append(name)
            first = first or passed
    asks = spending.question is None and first is not None and waits
    return tuple(begins), [_question(estimates, first, waits, added)] if asks and first else []


A_CALL = Usage(calls=1, output_tokens=1)
"""What work takes at least of which nobody knows more."""


def _question(estimates: Estimates, passed: Passed, waits: Sequence[str], added: Usage) -> e.DocumentBudgetReached:
    takes = [estimates.of(name, "writing") for name in waits]
    known = _sum(one for one in takes if one)
    return e.DocumentBudgetReached(
        question=f"b{estimates.document.number + 1}",
        whose=passed.account.whose,
        bound=passed.bound,
        sections=tuple(waits),
        usage=passed.account.spent.plus(added),
        expected=known if any(takes) else None,
        budget=passed.account.budget,
    )


def reserve(document: Document, estimates: Estimates) -> Usage:
    """What the work that is under way will probably add to what the document came to."""
    return _sum(_reserves(document, estimates))


@dataclass(frozen=True)
class Renew(Command):
    """Look whether the budget of the tenant has room again for what waits for it."""


def waits_for_tenant(question: BudgetQuestion | None) -> bool:
    return question is not None and question.whose == "tenant"


def renewed(document: Document) -> Sequence[e.AnyEvent]:
    """The event that closes the question if one of its sections fits now, or chapters took the place of all."""
    spending = _of(document)
    if document.lifecycle is not Lifecycle.RUNNING or spending.question is None or spending.question.whose != "tenant":
        return []
    waits = [name for name in spending.question.sections if name in document.sections]
    begins, _ = within(document, waits)
    return [e.DocumentBudgetRenewed(question=spending.question.question)] if begins or not waits else []


def _sum(usages: Iterable[Usage]) -> Usage:
    total = NOTHING
    for usage in usages:
        total = total.plus(usage)
    return total


def _reserves(document: Document, estimates: Estimates) -> Iterator[Usage]:
    for name, section in document.sections.items():
        if _is_under_way(section) and (takes := estimates.of(name, "writing")) is not None:
            runs = document.costs.runs.get((name, "writing"), Runs()).all
            yield _less(takes, runs[-1].usage if runs else NOTHING)
        if isinstance(section.phase, Revising) or isinstance(section.proposal, Proposing):
            yield estimates.of(name, "editing") or NOTHING


def _less(usage: Usage, spent: Usage) -> Usage:
    return Usage(
        calls=max(0, usage.calls - spent.calls),
        input_tokens=max(0, usage.input_tokens - spent.input_tokens),
        output_tokens=max(0, usage.output_tokens - spent.output_tokens),
        cost=max(0.0, usage.cost - spent.cost),
    )


def _is_under_way(section: Section) -> bool:
    phase = section.phase
    return _is_written(section) or (isinstance(phase, Validating) and phase.generating is not None)


def _is_written(section: Section) -> bool:
    return isinstance(section.phase, Generating | AwaitingAnswer | NeedDispatched | Resuming)


def is_spent(document: Document) -> bool:
    """Whether not one call more fits: looks of models at texts of people wait, too."""
    return _of(document).budget.passed_by(document.usage.plus(A_CALL)) is not None


_ASKED: dict[type[e.Event], tuple[str, Work]] = {
    e.SectionEditRequested: ("stemma.edit.section.v1", "editing"),
    e.SectionRevisionRequested: ("stemma.revise.section.v1", "editing"),
}


def follow(document: Document, events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events, or the refusal of a request for work that would begin at once and pass the budget."""
    accounts = _accounts(document) if any(type(event) in _ASKED for event in events) else []
    if not accounts:
        return events
    estimates = Estimates(document)
    added = reserve(document, estimates)
    for event in events:
        if (about := _ASKED.get(type(event))) is None or not isinstance(event, e.SectionEvent):
            continue
        name, work = about
        added = added.plus(estimates.of(event.section_id, work) or A_CALL)
        if passed := _passed(accounts, added):
            asked = {"request_id": event.request_id, "request_digest": event.request_digest, "actor": event.actor}
            code = "budget_passed" if passed.account.whose == "document" else "tenant_budget_passed"
            problem = Problem.of(code, "document_id", bound=passed.bound)
            told = {**asked, "actor_verified": event.actor_verified, "section_id": event.section_id}
            return [e.DecisionRefused.model_validate({**told, "request": name, "problem": problem})]
    return events


def budget_view(document: Document) -> BudgetView | None:
    spending = _of(document)
    if document.spending is None:
        return None
    question = None if document.lifecycle is Lifecycle.CANCELLED else spending.question
    return BudgetView(budget=spending.budget, question=question, left=tuple(sorted(spending.left)))


FEATURE = Feature[Asked[BudgetRequest]](
    requests=get_args(BudgetRequest),
    decide=decide,
    follow=follow,
    events=get_args(e.AnyBudgetEvent),
    evolve=evolve,
    after=after,
)
