"""The verb about what a document may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stemma_cli.arguments import AsJson, Document
from stemma_cli.lookup import find_document
from stemma_cli.output import say, say_json
from stemma_cli.report import tell_answer
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_contracts.v1.requests import DocumentRequest
    from stemma_contracts.v1.views import DocumentView


async def budget(
    document: Document,
    calls: Annotated[int | None, typer.Option("--calls", min=0, help="Model calls that it may take.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", min=0, help="Tokens, read and written.")] = None,
    cost: Annotated[float | None, typer.Option("--cost", min=0, help="US dollars.")] = None,
    unbound: Annotated[bool, typer.Option("--none", help="No bound any more.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Write what waits, although that passes the budget.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Leave what waits until there is another budget.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a document may cost, say it anew, or answer the question that is asked before that is passed.

    What is written is never cut off; sections that would pass the budget wait until a person answers. Bounds that are
    not given are none.

    Example: stemma budget 3f2a --cost 20 --calls 400
    Example: stemma budget 3f2a --once
    """
    from stemma_cli.rendering.plans import budget_words

    bounds = {"calls": calls, "tokens": tokens, "cost": cost}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if bool(given) + unbound + once + stop > 1:
        raise typer.BadParameter("give bounds, --none, --once or --stop")
    async with connected(as_json) as client:
        view = await client.document(await find_document(client, document))
        if given or unbound or once or stop:
            answer = "once" if once else "stop" if stop else ""
            accepted = await client.request(_asked(view, given, answer))
            view = await client.document(view.document_id, at_least=accepted.sequence)
            tell_answer(accepted, budget_words(view), as_json=as_json)
        elif as_json:
            say_json(view.budget)
        else:
            say(budget_words(view))


def _asked(view: DocumentView, bounds: dict[str, float], answer: str) -> DocumentRequest:
    from stemma_contracts.v1 import requests as r

    about = {"document_id": view.document_id}
    if not answer:
        return r.SetBudget.model_validate({**about, "budget": bounds})
    question = view.budget.question.question if view.budget and view.budget.question else "none"
    return r.AnswerBudget.model_validate({**about, "question": question, "answer": answer})


VERBS = {"budget": budget}
