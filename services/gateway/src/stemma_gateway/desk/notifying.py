"""Of what a person is told, and where: the rules, a test of one, and what became of the latest attempts."""

from collections.abc import Mapping, Set
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from stemma_client.notifications import new_secret
from stemma_contracts.tokens import Token
from stemma_contracts.v1.notifications import NotificationRule, Occasion

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.sessions import Session

from .forms import REFUSED, Sent, sent
from .shell import shown

PAGE = "/desk/notifications"
OCCASIONS = tuple(one for one in Occasion if one not in (Occasion.TEST, Occasion.BUDGET))
"""What can be ticked; a budget is told of by its limits."""
TYPED = ("rule_id", "receiver", "tokens", "cost", "kind", "document")
MOST_DOCUMENTS = 100
"""Of the newest that a rule can be about alone; of another one its own page leads here."""
NOTHING: Mapping[str, str] = MappingProxyType(dict.fromkeys(TYPED, ""))
RuleId = Annotated[Token, Path()]
Done = Literal["test", "remove"]
router = APIRouter(route_class=PageRoute)


@router.get(PAGE)
async def show_rules(
    request: Request,
    session: Caller,
    log: Annotated[Token | None, Query()] = None,
    done: Done | None = None,
    document: Annotated[Token, Query()] = "",
) -> Response:
    """The rules; with ``document`` the next one is about that document alone."""
    return await _page(request, session, log=log, done=done, typed={**NOTHING, "document": document})


@router.post(PAGE)
async def add_rule(request: Request, session: Caller) -> Response:
    """Add a rule. The secret of a webhook is shown by the answer, and never again."""
    async with sent(request) as form:
        typed = {name: form.text(name).strip() for name in TYPED}
        ticked = [str(one) for one in form.form.getlist("on")]
        try:
            rule = NotificationRule.model_validate(_rule(form, typed, ticked))
            doubt = await session.client.notifications.add(rule)
        except REFUSED as error:
            return await _page(request, session, error=error, typed=typed, ticked=ticked)
    return await _page(request, session, added=rule, doubt=doubt)


def _rule(form: Sent, typed: Mapping[str, str], ticked: list[str]) -> dict[str, Any]:
    limits = {name: typed[name] for name in ("tokens", "cost") if typed[name]}
    is_web = typed["receiver"].startswith(("http://", "https://"))
    return {
        "rule_id": typed["rule_id"],
        "on": [*ticked, *([Occasion.BUDGET] if limits else [])],
        "kinds": [typed["kind"]] if typed["kind"] else [],
        "document_ids": [typed["document"]] if typed["document"] else [],
        **limits,
        **({"webhook": typed["receiver"], "secret": new_secret()} if is_web else {"email": typed["receiver"]}),
    }


@router.post(f"{PAGE}/{{rule_id}}/{{verb}}")
async def change(request: Request, session: Caller, rule_id: RuleId, verb: Done) -> Response:
    rules = session.client.notifications
    try:
        await (rules.remove(rule_id) if verb == "remove" else rules.test(rule_id))
    except REFUSED as error:
        return await _page(request, session, error=error)
    return led_to(request, f"{PAGE}?done={verb}{f'&log={rule_id}' if verb == 'test' else ''}")


async def _page(
    request: Request,
    session: Session,
    *,
    log: str | None = None,
    done: Done | None = None,
    added: NotificationRule | None = None,
    doubt: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NOTHING,
    ticked: list[str] | None = None,
) -> Response:
    rules = await session.client.notifications.rules()
    return shown(
        request,
        session,
        "notifications.html",
        error=error,
        rules=rules,
        titles=await _titles(session, {typed["document"], *chain(*(rule.document_ids for rule in rules))}),
        occasions=OCCASIONS,
        kinds=await session.client.kinds(),
        log=log,
        attempts=(await session.client.notifications.log(log))[::-1] if log else (),
        done=done,
        added=added,
        doubt=doubt,
        typed=typed,
        ticked=OCCASIONS if ticked is None else ticked,
    )


async def _titles(session: Session, named: Set[str]) -> Mapping[str, str]:
    """The titles of the newest documents, and of those that rules are about or are to be."""
    listed = await session.client.documents(warns=False)
    wanted = [one for place, one in enumerate(listed) if place < MOST_DOCUMENTS or one.document_id in named]
    titles = await session.followed.titles(wanted)
    return {one.document_id: title for one, title in zip(wanted, titles, strict=True)}
