"""What a person sets for oneself: how the desk is shown, and of what it tells by rules; and what people may do."""

from collections import Counter
from collections.abc import Mapping, Set
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import ValidationError
from stemma_client.notifications import new_secret
from stemma_contracts.roles import Role, may_ask
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_contracts.v1.section import SETTLED

from stemma_gateway.authentication import Caller
from stemma_gateway.delivery import address
from stemma_gateway.pages import SETTINGS, PageRoute, Settings, led_to, settings_of
from stemma_gateway.problems import Invalid
from stemma_gateway.sessions import Session

from .forms import REFUSED, Sent, fields_of, sent
from .shell import shown
from .verbs import VERBS

KEPT_FOR_S = 400 * 86_400
CHOICES = {name: values for name, field in Settings.model_fields.items() if (values := get_args(field.annotation))}
KEYS = (
    (
        "everywhere",
        (
            ("?", "key_help"),
            ("i", "key_inbox"),
            ("/", "search"),
            ("Ctrl K", "search"),
            ("c", "new_document"),
            (",", "settings"),
            ("j", "key_next"),
            ("k", "key_previous"),
            ("b", "page_before"),
            ("f", "page_after"),
            ("Ctrl Enter", "key_send"),
        ),
    ),
    (
        "document",
        (("u", "inputs"), ("q", "requirements"), ("M", "map"), ("h", "history"), ("X", "export")),
    ),
    (
        "section",
        (
            ("u", "document"),
            ("a", "approve"),
            ("x", "withdraw_approval"),
            ("r", "revise"),
            ("e", "edit"),
            ("o", "instruct"),
            ("c", "comment"),
            ("m", "suggest"),
            ("s", "assign_to_person"),
            ("d", "key_differences"),
            ("v", "viewed"),
            ("p", "keep"),
            ("g", "regenerate"),
            ("z", "restore"),
            ("y", "accept_edit"),
            ("n", "reject_edit"),
            ("w", "answer"),
            ("t", "retry"),
        ),
    ),
    (
        "requirements",
        (
            ("a", "confirm"),
            ("n", "drop"),
            ("x", "not_applicable"),
            ("v", "verify"),
            ("s", "assign"),
            ("m", "merge"),
            ("l", "ask_model"),
        ),
    ),
)
"""By where they are."""
router = APIRouter(route_class=PageRoute)


@router.get("/desk/settings")
async def show_settings(request: Request, session: Caller, done: bool = False) -> Response:
    role = session.client.role
    return shown(request, session, "settings.html", choices=CHOICES, done=done, tenant=session.tenant, role=role)


@router.post("/desk/settings")
async def keep_settings(request: Request, _: Caller) -> Response:
    try:
        chosen = Settings.model_validate({**dict(await fields_of(request)), "moved": settings_of(request).moved})
    except ValidationError:
        raise Invalid(Problem.of("decision_unknown", "settings")) from None
    return _kept(request, chosen, "/desk/settings?done=true")


@router.get("/desk/keys")
async def show_keys(request: Request, session: Caller) -> Response:
    does: dict[str, list[str]] = {}
    for _, pressed in KEYS:
        for key, name in pressed:
            does.setdefault(key, []).append(name)
    return shown(
        request, session, "keys.html", keys=KEYS, does={key: names for key, names in does.items() if len(key) == 1}
    )


@router.post("/desk/keys")
async def move_key(request: Request, _: Caller) -> Response:
    """Give a key to what another one does, which gets the first one for it; without either, all are as they were."""
    form = dict(await fields_of(request))
    try:
        now = settings_of(request)
        moved = now.with_key(form["does"], form["key"]) if "key" in form else now.model_copy(update={"moved": ""})
    except (ValidationError, ValueError, KeyError):
        raise Invalid(Problem.of("decision_unknown", "settings")) from None
    return _kept(request, moved, "/desk/keys")


def _kept(request: Request, chosen: Settings, path: str) -> Response:
    answer = led_to(request, path)
    cookie = urlencode(chosen.model_dump(exclude_defaults=True))
    is_secure = request.url.scheme == "https"
    root = address(request, "/")
    answer.set_cookie(SETTINGS, cookie, KEPT_FOR_S, path=root, secure=is_secure, httponly=True, samesite="lax")
    return answer


NOTIFICATIONS = "/desk/notifications"
OCCASIONS = tuple(one for one in Occasion if one not in (Occasion.TEST, Occasion.BUDGET))
"""What can be ticked; a budget is told of by its limits."""
TYPED = ("rule_id", "receiver", "tokens", "cost", "kind", "document")
MOST_DOCUMENTS = 100
"""Of the newest that a rule can be about alone; of another one its own page leads here."""
NO_RULE: Mapping[str, str] = MappingProxyType(dict.fromkeys(TYPED, ""))
RuleId = Annotated[Token, Path()]
Done = Literal["test", "remove"]


@router.get(NOTIFICATIONS)
async def show_rules(
    request: Request,
    session: Caller,
    log: Annotated[Token | None, Query()] = None,
    done: Done | None = None,
    document: Annotated[Token, Query()] = "",
) -> Response:
    """The rules; with ``document`` the next one is about that document alone."""
    return await _page(request, session, log=log, done=done, typed={**NO_RULE, "document": document})


@router.post(NOTIFICATIONS)
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


@router.post(f"{NOTIFICATIONS}/{{rule_id}}/{{verb}}")
async def change(request: Request, session: Caller, rule_id: RuleId, verb: Done) -> Response:
    rules = session.client.notifications
    try:
        await (rules.remove(rule_id) if verb == "remove" else rules.test(rule_id))
    except REFUSED as error:
        return await _page(request, session, error=error)
    return led_to(request, f"{NOTIFICATIONS}?done={verb}{f'&log={rule_id}' if verb == 'test' else ''}")


async def _page(
    request: Request,
    session: Session,
    *,
    log: str | None = None,
    done: Done | None = None,
    added: NotificationRule | None = None,
    doubt: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NO_RULE,
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


MAY: Mapping[str, str] = MappingProxyType(
    {
        **{verb.name: verb.token for verb in VERBS},
        "comment": "comment-section",
        "assign_to_person": "assign-section",
        "new_document": "create-document",
        "export": "export-document",
        "work_pause": "pause-document",
        "work_cancel": "cancel-document",
    }
)
"""What people do, by the ids of its words, with the request that it makes."""


@router.get("/desk/people")
async def show_people(request: Request, session: Caller) -> Response:
    listed = await session.client.documents(warns=False)
    sections = [one for document in listed for one in document.sections if one.assignee]
    assigned = Counter(one.assignee for one in sections if one.status not in SETTLED)
    may = {role: may_ask(role) for role in Role}
    return shown(
        request,
        session,
        "people.html",
        roles=list(Role),
        allowed={name: [role for role in Role if token in may[role]] for name, token in MAY.items()},
        assigned={name: assigned[name] for name in sorted({session.user, *(one.assignee for one in sections)})},
        tenant=session.tenant,
        role=session.client.role,
    )
