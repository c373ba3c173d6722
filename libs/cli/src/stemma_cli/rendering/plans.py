"""Plans and budgets: what models would do and what that takes, what they may, and what is left for people."""

from collections.abc import Callable, Mapping

from stemma_contracts.v1.plans import Plan, PlannedKind, PlannedWork
from stemma_contracts.v1.views import DocumentView

from stemma_cli.output import note, say, say_rows
from stemma_cli.wording import cost_words, seconds_words

_KINDS: dict[PlannedKind, str] = {"write": "is written", "edit": "is changed", "check": "is judged"}
_WORK: Mapping[str, Callable[[PlannedWork], str]] = {
    "SECTION": lambda work: work.section_id,
    "WHAT": lambda work: _KINDS[work.kind],
    "CALLS": lambda work: f"{work.usage.calls}" if work.usage else "not known",
    "TOKENS": lambda work: f"{work.usage.tokens}" if work.usage else "",
    "COST": lambda work: cost_words(work.usage.cost) if work.usage else "",
    "TIME": lambda work: "" if work.seconds is None else seconds_words(work.seconds),
}


def show_plan(plan: Plan) -> None:
    if plan.work:
        say_rows(_WORK, plan.work)
        say(_in_all(plan))
    for names, words in (
        (plan.stale, "stale then" if plan.certain else "may be stale then"),
        (plan.fresh, "not stale any more"),
        (plan.reviews, "to be read again"),
    ):
        if names:
            say(f"{words}: {', '.join(names)}")
    if plan.left_off:
        note(f"{plan.left_off} more are not named")
    if not (plan.work or plan.stale or plan.fresh or plan.reviews):
        say("nothing is written by it, and nothing gets stale")
    note("nothing was changed")


def _in_all(plan: Plan) -> str:
    usage = plan.usage
    known = f"in all about {usage.calls} model calls, {usage.tokens} tokens, {cost_words(usage.cost)}"
    time = "" if plan.seconds is None else f", {seconds_words(plan.seconds)}"
    return f"{known}{time}{f'; of {plan.unknown} nobody knows' if plan.unknown else ''}"


def budget_words(view: DocumentView) -> str:
    """The budget, what of it is used, and what waits for more."""
    found, usage = view.budget, view.usage
    budget = found.budget if found else None
    bounds = [
        f"{usage.calls} of {budget.calls} model calls" if budget and budget.calls is not None else "",
        f"{usage.tokens} of {budget.tokens} tokens" if budget and budget.tokens is not None else "",
        f"{usage.cost:.2f} of {cost_words(budget.cost)}" if budget and budget.cost is not None else "",
    ]
    words = f"budget: {', '.join(filter(None, bounds)) or 'none'}"
    if found and (asked := found.question):
        takes = f", about {asked.expected.tokens} tokens, {cost_words(asked.expected.cost)}" if asked.expected else ""
        passed, wait = (
            ("it", "raise it") if asked.whose == "document" else ("that of the tenant", "wait for room in it")
        )
        ways = f"{wait}, or `stemma budget {view.document_id[:8]}` with --once or --stop"
        return f"{words}; these would pass {passed} ({asked.bound}): {', '.join(asked.sections)}{takes}; {ways}"
    return f"{words}; not written by it: {', '.join(found.left)}" if found and found.left else words
