"""The verbs that change a document, as a look at what they would lead to."""

from __future__ import annotations

import io
from contextlib import nullcontext, redirect_stdout
from functools import wraps
from typing import TYPE_CHECKING, Any

from stemma_cli.output import note, say_json
from stemma_cli.runtime import PLANS, Planned
from stemma_cli.verbs import decisions, editing, importing, inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_VERBS: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
    "edit": editing.edit,
    "accept-edit": editing.accept_edit,
    "keep": editing.keep,
    "regenerate": editing.regenerate,
    "restore": editing.restore,
    "take-back": editing.take_back,
    "approve": decisions.approve,
    "withdraw-approval": decisions.withdraw_approval,
    "revise": decisions.revise,
    "answer": decisions.answer,
    "retry": decisions.retry,
    "amend": inputs.amend,
    "import": importing.import_,
}


def _planned(name: str, verb: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
    @wraps(verb)
    async def plan(*args: Any, **options: Any) -> None:
        from stemma_cli.rendering.plans import show_plan

        token, as_json = PLANS.set(True), options["as_json"]
        if "apply" in options:
            options["apply"] = True
        try:
            with redirect_stdout(io.StringIO()) if as_json else nullcontext():
                await verb(*args, **options)
        except Planned as planned:
            if as_json:
                say_json(planned.plan)
            else:
                show_plan(planned.plan)
            if verb is inputs.amend:
                note("the file stays staged, and does not count: `stemma input withdraw` drops it")
        else:
            note("it leads to nothing")
        finally:
            PLANS.reset(token)

    doc = (verb.__doc__ or "").replace(f"stemma {name} ", f"stemma plan {name} ")
    plan.__doc__ = f"Tell what this would lead to, and change nothing: {doc[:1].lower()}{doc[1:]}"
    return plan


GROUPS = {
    "plan": (
        "What a change would lead to: what would be written again or stale, what that takes, who has to read what.",
        {name: _planned(name, verb) for name, verb in _VERBS.items()},
    )
}
