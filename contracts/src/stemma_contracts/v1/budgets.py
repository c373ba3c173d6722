"""What a document may cost, and the question that is asked before it costs more."""

from typing import Literal

from pydantic import Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .usage import Usage

Bound = Literal["calls", "tokens", "cost"]
Whose = Literal["document", "tenant"]


class Budget(Contract):
    """What model calls may come to, all that were made among them; what is absent has no bound."""

    calls: StrictInt | None = Field(default=None, ge=0)
    tokens: StrictInt | None = Field(default=None, ge=0, description="read and written")
    cost: float | None = Field(default=None, ge=0, allow_inf_nan=False, description="in US dollars")

    def passed_by(self, usage: Usage) -> Bound | None:
        """The bound that a usage is over, the first of them."""
        bounds: dict[Bound, tuple[float | None, float]] = {
            "calls": (self.calls, usage.calls),
            "tokens": (self.tokens, usage.tokens),
            "cost": (self.cost, usage.cost),
        }
        return next((name for name, (most, used) in bounds.items() if most is not None and used > most), None)


class BudgetQuestion(Contract):
    """Whether sections are to be written although that would probably pass a ``bound`` of the budget.

    ``usage`` is what counts for the budget, with what is being made; ``expected`` what these sections take, absent if
    nobody knows. A person raises the budget, has them written once all the same, or leaves them. Where it is the one of
    the tenant, they are also written once that has room again.
    """

    question: Token
    whose: Whose = "document"
    bound: Bound
    sections: tuple[Token, ...]
    usage: Usage
    expected: Usage | None = None


class BudgetView(Contract):
    """The budget of a document, and the question that waits for a person; ``left`` are sections that nobody is to
    write before there is another budget.
    """

    budget: Budget = Budget()
    question: BudgetQuestion | None = None
    left: tuple[str, ...] = ()
