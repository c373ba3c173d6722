"""Requests about what a document costs: what a change would take, and what all may."""

from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from stemma_contracts.base import invalid_field
from stemma_contracts.registry import Family, UnknownContract, registry
from stemma_contracts.tokens import Token

from .asked import DocumentRequest, Request
from .budgets import Budget


@registry.contract("stemma.plan.change.v1", Family.REQUEST)
class PlanChange(DocumentRequest):
    """Ask what another request about the document would lead to: the answer has its plan, and nothing is changed.

    ``change`` is the name of that request, such as ``edit-section``, and ``body`` its fields. What would be refused is
    refused, with the fields of ``body`` that are wrong.
    """

    change: Token
    body: dict[str, Any] = Field(description="as that request has them; the document need not be named")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        try:
            _ = self.planned
        except UnknownContract as error:
            raise invalid_field(str(error), "change") from None
        except ValidationError as error:
            raise _of_body(error) from None
        return self

    @property
    def planned(self) -> DocumentRequest:
        """The request that is planned."""
        cls = registry.by_token(Family.REQUEST, self.change).cls
        if not issubclass(cls, DocumentRequest) or cls is PlanChange:
            raise UnknownContract(f"{self.change} changes no document that there is")
        return cls.model_validate({**self.body, "document_id": self.document_id})

    @classmethod
    def of(cls, request: DocumentRequest) -> Self:
        """The same request, to be planned."""
        change = registry.entry_of(request).token
        return cls(document_id=request.document_id, change=change, body=body_to_plan(request))


def body_to_plan(request: Request) -> dict[str, Any]:
    """The fields of a request, but for those that a plan has itself."""
    return request.model_dump(mode="json", exclude_defaults=True, exclude={"request_id", "actor", "document_id"})


def _of_body(error: ValidationError) -> ValidationError:
    found = error.errors(include_url=False, include_input=False)
    lines: list[Any] = [
        {"type": one["type"], "loc": ("body", *one["loc"]), "input": None, "ctx": one.get("ctx", {})} for one in found
    ]
    return ValidationError.from_exception_data("body", lines)


@registry.contract("stemma.set.budget.v1", Family.REQUEST)
class SetBudget(DocumentRequest):
    """Say what model calls for the document may come to; without a budget they have no bound.

    What waited for one goes on as far as it fits.
    """

    budget: Budget = Budget()


@registry.contract("stemma.answer.budget.v1", Family.REQUEST)
class AnswerBudget(DocumentRequest):
    """Answer the question of a budget that would be passed: ``once`` has its sections written all the same, ``stop``
    leaves them until there is another budget. To raise it, set it.
    """

    question: Token
    answer: Literal["once", "stop"]
