"""Who is told of what, and how: rules that a person or the programs of a tenant keep, and what became of them."""

import base64
import binascii
import re
from enum import StrEnum
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints, model_validator

from stemma_contracts.base import Contract, invalid_field
from stemma_contracts.tokens import Token

MAX_RULES = 64
MAX_URL = 2000
SECRET_PREFIX = "whsec_"
SECRET_BYTES = range(24, 65)
_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}")
_PRINTABLE = re.compile(r"[!-~]+")


class Occasion(StrEnum):
    """What somebody can be told of."""

    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"
    STALE = "stale"
    BUDGET = "budget"
    ASSIGNED = "assigned"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"
    TEST = "test"


def check_url(value: str) -> str:
    """Return ``value`` if it is a web address without a password in it."""
    parts = urlsplit(value) if _PRINTABLE.fullmatch(value) else urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("must be a web address, as in https://example.com/hook")
    if "@" in parts.netloc or parts.fragment:
        raise ValueError("must have no user, no password and no fragment")
    return value


def check_email(value: str) -> str:
    """Return ``value`` if it is one plain mail address, with nothing beside it."""
    if not _ADDRESS.fullmatch(value):
        raise ValueError("must be a mail address, as in ada@example.com")
    return value


def check_secret(value: str) -> str:
    """Return ``value`` if it is the secret of a webhook as Standard Webhooks writes it, which is not quoted."""
    try:
        key = base64.b64decode(value.removeprefix(SECRET_PREFIX), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if not value.startswith(SECRET_PREFIX) or len(key) not in SECRET_BYTES:
        raise ValueError(f"must be {SECRET_PREFIX} and 24 to 64 bytes in base64")
    return value


class NotificationRule(Contract):
    """Of what its owner is told, and where: at ``webhook``, signed with ``secret``, or by ``email``.

    Without ``document_ids`` and ``kinds`` it is about every document of the tenant. Of a budget it tells once for each
    document, when what its model calls cost so far reaches ``tokens``, and when it reaches ``cost`` (US dollars).
    """

    rule_id: Token
    on: tuple[Occasion, ...] = Field(min_length=1, max_length=len(Occasion))
    document_ids: tuple[Token, ...] = Field(default=(), max_length=100)
    kinds: tuple[Token, ...] = Field(default=(), max_length=100)
    tokens: int | None = Field(default=None, ge=1)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    webhook: Annotated[str, StringConstraints(max_length=MAX_URL), AfterValidator(check_url)] | None = None
    secret: Annotated[str, AfterValidator(check_secret)] | None = Field(default=None, repr=False)
    email: Annotated[str, AfterValidator(check_email)] | None = None

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        if (self.webhook is None) == (self.email is None):
            raise invalid_field("give either webhook or email", "webhook")
        if (self.webhook is None) != (self.secret is None):
            raise invalid_field("a webhook has a secret, and nothing else has one", "secret")
        return self

    @model_validator(mode="after")
    def _has_a_limit_for_budgets_alone(self) -> Self:
        limited = self.tokens is not None or self.cost is not None
        if Occasion.BUDGET in self.on and not limited:
            raise invalid_field("give tokens or cost, or both, for budget", "tokens")
        if limited and Occasion.BUDGET not in self.on:
            raise invalid_field("name budget as well: tokens and cost are for it", "on")
        return self


class NotificationTest(Contract):
    """A test of a rule that its owner asks for, once for each ``test_id``."""

    rule_id: Token
    test_id: Token


class ReceiverCheck(Contract):
    """Asks whether anything may be sent to the receiver of a rule, once for each ``check_id``."""

    rule_id: Token
    check_id: Token


class NotificationRules(Contract):
    """The rules of one owner, under its key in the bucket ``notifications``.

    Whoever writes them may ask for a test of one, and for a check of its receiver, to whom nothing is sent by that.
    """

    rules: tuple[NotificationRule, ...] = Field(default=(), max_length=MAX_RULES)
    test: NotificationTest | None = None
    check: ReceiverCheck | None = None

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        if len({rule.rule_id for rule in self.rules}) < len(self.rules):
            raise invalid_field("two rules have the same rule_id", "rules")
        return self


class DeliveryAttempt(Contract):
    """One try to tell somebody: ``detail`` is a status or a class of error, and nothing that the receiver said."""

    notice_id: str = Field(max_length=100)
    occasion: Occasion
    document_id: Token | None = None
    section_id: Token | None = None
    at: AwareDatetime
    result: Literal["delivered", "failed", "given_up", "dropped"]
    detail: str = Field(default="", max_length=200)


class CheckedReceiver(Contract):
    """The answer to a `ReceiverCheck`: why nothing will ever be sent there, or why nothing can be sent there now."""

    check_id: Token
    refused: str = Field(default="", max_length=200, description="empty: it is not refused")
    doubt: str = Field(default="", max_length=200, description="empty: nothing is known against it")


class DeliveryLog(Contract):
    """The latest attempts of one rule, the oldest first, under its key in the bucket ``notified``."""

    attempts: tuple[DeliveryAttempt, ...] = ()
    checked: CheckedReceiver | None = Field(default=None, description="the latest check of the receiver")
