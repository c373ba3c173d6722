"""The budget of a document as a form, and the question that is asked before it is passed."""

from fastapi import APIRouter, Request, Response
from stemma_contracts.v1 import requests as r

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import DocumentId

from .document import document_page
from .forms import DOCUMENT, REFUSED, ask, fields_of, led_on
from .verbs import Form

MOST_DIGITS = 15
"""Of a bound; nobody pays for more, and Python reads no number of thousands of them."""
router = APIRouter(route_class=PageRoute)


@router.post(f"{DOCUMENT}/budget")
async def decide_budget(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Set the budget, or with ``answer`` say what becomes of the sections that would pass it."""
    form = dict(await fields_of(request))
    try:
        answer = await ask(session, _asked(document_id, form))
    except REFUSED as error:
        return await document_page(request, session, document_id, error=error)
    return led_on(request, DOCUMENT.format(document_id=document_id), "budget", answer.sequence)


def _asked(document_id: str, form: Form) -> r.DocumentRequest:
    if "answer" in form:
        about = {"document_id": document_id, "question": form.get("question"), "answer": form["answer"]}
        return r.AnswerBudget.model_validate(about)
    bounds = {name: form[name].strip() for name in ("calls", "tokens", "cost") if form.get(name, "").strip()}
    budget = {name: int(bound) if name != "cost" and _is_whole(bound) else bound for name, bound in bounds.items()}
    return r.SetBudget.model_validate({"document_id": document_id, "budget": budget})


def _is_whole(bound: str) -> bool:
    return len(bound) <= MOST_DIGITS and bound.isdecimal()
