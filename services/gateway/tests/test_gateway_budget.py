"""The budget on the page of a document, and the question that is asked before it is passed."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.budgets import Budget, BudgetQuestion
from stemma_contracts.v1.requests import AnswerBudget, SetBudget
from stemma_contracts.v1.usage import Usage
from stemma_testkit.document_events import document_requested

from .conftest import PAGES
from .desk_pages import plain

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("L6")]
USAGE = Usage(calls=3, input_tokens=700, cost=1.5)


async def test_a_question_about_the_budget_is_answered_and_the_budget_set_where_the_document_is_read(
    web: httpx.AsyncClient, server: Any, open_backstage: Callable[..., Any], document_id: str
) -> None:
    requested = document_requested().model_copy(update={"budget": Budget(cost=2.0)})
    names = (requested.sections[0].section_id,)
    question = BudgetQuestion(question="b2", bound="cost", sections=names, usage=USAGE, expected=USAGE)
    asked = e.DocumentBudgetReached.model_validate({**dict(question), "budget": Budget(cost=2.0)})
    here = f"/desk/documents/{document_id}"
    async with open_backstage(server) as stage:
        await stage.append(document_id, requested, asked)
        page = plain((await web.get(here, headers=PAGES)).text)
        german = plain((await web.get(here, headers={**PAGES, "Accept-Language": "de"})).text)
        for form in ({"question": "b2", "answer": "once"}, {"calls": "40", "cost": " 2.5 ", "tokens": ""}):
            done = await web.post(f"{here}/budget", data=form)
            assert done.headers["location"].startswith(f"{here}?done=budget")
        wrongs = [
            await web.post(f"{here}/budget", data={"calls": calls}, headers=PAGES) for calls in ("few", "9" * 5000)
        ]
    assert "would pass the budget (cost), so they wait for you: Research" in page
    assert "About 700 tokens, $1.50." in page
    assert "überschritte das Budget (Kosten)" in german
    assert [(wrong.status_code, 'role="alert"' in wrong.text) for wrong in wrongs] == [(422, True)] * 2
    [(_, answered), (_, raised)] = stage.received
    assert isinstance(answered, AnswerBudget)
    assert (answered.question, answered.answer) == ("b2", "once")
    assert isinstance(raised, SetBudget)
    assert raised.budget == Budget(calls=40, cost=2.5)
