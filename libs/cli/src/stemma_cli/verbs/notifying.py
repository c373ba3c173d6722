"""Verbs that say of what one is told, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson, find_document
from stemma_cli.output import note, reply, say_json, say_rows
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_contracts.v1.notifications import DeliveryAttempt, NotificationRule

EVERY = ("waiting", "finished", "failed", "stale", "assigned", "due_soon", "overdue")
Rule = Annotated[str, typer.Argument(metavar="RULE", help="Name of the rule: letters, digits, - and _.")]


async def add(
    rule: Rule,
    webhook: Annotated[str | None, typer.Option("--webhook", metavar="URL", help="Web address to call.")] = None,
    email: Annotated[str | None, typer.Option("--email", metavar="ADDRESS", help="Mail address to write to.")] = None,
    on: Annotated[
        list[str] | None, typer.Option("--on", help=f"{', '.join(EVERY)} or budget; repeatable. [all]")
    ] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Budget of a document in tokens.")] = None,
    cost: Annotated[float | None, typer.Option("--cost", help="Budget of a document in US dollars.")] = None,
    document: Annotated[list[str] | None, typer.Option("--document", help="Only this document; repeatable.")] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only this kind of document; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Be told by webhook or mail what waits, is finished, failed, became stale, is assigned to you, is due,
    or reached a budget.

    The secret of a webhook is printed once: its receiver checks the signatures with it. A receiver that the
    notifier may not tell is refused.

    Example: stemma notify add mine --webhook https://example.com/hook --on waiting
    """
    from stemma_client.notifications import new_secret
    from stemma_contracts.v1.notifications import NotificationRule

    if (webhook is None) == (email is None):
        raise CliError(ExitCode.USAGE, "give either --webhook or --email")
    async with connected(as_json) as client:
        made = NotificationRule.model_validate(
            {
                "rule_id": rule,
                "on": on or (EVERY if tokens is None and cost is None else (*EVERY, "budget")),
                "tokens": tokens,
                "cost": cost,
                "document_ids": [await find_document(client, one) for one in document or ()],
                "kinds": kind or (),
                "webhook": webhook,
                "secret": new_secret() if webhook else None,
                "email": email,
            }
        )
        doubt = await client.notifications.add(made)
    if doubt:
        note(f"{rule} is added, but {doubt}; see what comes of it: stemma notify test {rule}, then log {rule}")
    secret = [f"secret {made.secret}"] if made.secret else []
    value = made.model_dump(mode="json", exclude_none=True)
    reply(value, f"{rule} tells {webhook or email}", *secret, as_json=as_json)


async def list_rules(as_json: AsJson = False) -> None:
    """List one's own rules, without their secrets.

    Example: stemma notify list
    """
    async with connected(as_json) as client:
        rules = await client.notifications.rules()
    if as_json:
        say_json([rule.model_dump(mode="json", exclude_none=True, exclude={"secret"}) for rule in rules])
    else:
        say_rows(RULES, rules)


def _of(rule: NotificationRule, occasion: str) -> str:
    if occasion != "budget":
        return occasion
    limits = [f"{rule.tokens:,} tokens"] if rule.tokens is not None else []
    limits += [f"${rule.cost:,.2f}"] if rule.cost is not None else []
    return f"budget {' or '.join(limits)}"


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "all"


async def remove(rule: Rule, as_json: AsJson = False) -> None:
    """Take a rule away; what still waits for its receiver is not sent.

    Example: stemma notify remove mine
    """
    async with connected(as_json) as client:
        await client.notifications.remove(rule)
    reply({"removed": rule}, f"{rule} is gone", as_json=as_json)


async def try_rule(rule: Rule, as_json: AsJson = False) -> None:
    """Have the receiver of a rule told of a test.

    Example: stemma notify test mine
    """
    async with connected(as_json) as client:
        await client.notifications.test(rule)
    reply({"tested": rule}, f"{rule} is tested", as_json=as_json)
    if not as_json:
        note(f"what came of it: stemma notify log {rule}")


async def log(rule: Rule, as_json: AsJson = False) -> None:
    """Show the latest attempts to tell the receiver of a rule, the newest last.

    Example: stemma notify log mine
    """
    async with connected(as_json) as client:
        attempts = await client.notifications.log(rule)
    if as_json:
        say_json([attempt.model_dump(mode="json", exclude_none=True) for attempt in attempts])
    else:
        say_rows(ATTEMPTS, attempts)


RULES: Mapping[str, Callable[[NotificationRule], str]] = {
    "RULE": lambda rule: rule.rule_id,
    "TELLS": lambda rule: rule.webhook or rule.email or "",
    "OF": lambda rule: ", ".join(_of(rule, occasion) for occasion in rule.on),
    "DOCUMENTS": lambda rule: _some(rule.document_ids),
    "KINDS": lambda rule: _some(rule.kinds),
}
ATTEMPTS: Mapping[str, Callable[[DeliveryAttempt], str]] = {
    "AT": lambda attempt: f"{attempt.at:%Y-%m-%d %H:%M:%S}",
    "RESULT": lambda attempt: attempt.result,
    "DETAIL": lambda attempt: attempt.detail,
    "OF": lambda attempt: attempt.occasion.value,
    "DOCUMENT": lambda attempt: attempt.document_id or "",
    "SECTION": lambda attempt: attempt.section_id or "",
}
GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "notify": (
        "Say of what you are told by webhook or mail.",
        {"add": add, "list": list_rules, "remove": remove, "test": try_rule, "log": log},
    )
}
