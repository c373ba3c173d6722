"""What a link in a notification says: one decision, about one version, for one person, until a time.

A token is no power: whoever follows the link decides with a login of its own, as the person that the token names, and
the server sees to that. So nothing in it is secret or signed. What it gives is that the decision is about the version
that the notification was about, and that it is done once, however often the link is used.
"""

import base64
import binascii
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field, ValidationError

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token, check_person

MAX_TOKEN = 1000


class Verb(StrEnum):
    """What a link can decide; a revision needs words, which whoever decides adds."""

    APPROVE = "approve"
    REVISE = "revise"


class InvalidLink(ValueError):
    """A token that is none, was cut off, or has expired."""


class DecisionLink(Contract):
    """A decision that somebody may make by following a link."""

    tenant: Token
    person: Annotated[str, AfterValidator(check_person)]
    document_id: Token
    section_id: Token
    version: int = Field(ge=1)
    verb: Verb
    expires_at: AwareDatetime

    @property
    def token(self) -> str:
        """The link's last part."""
        return base64.urlsafe_b64encode(self.model_dump_json().encode()).decode().rstrip("=")

    @property
    def request_id(self) -> str:
        """The same for the same decision, whenever the link was made: a repeat is answered as the same request."""
        parts = (self.tenant, self.person, self.document_id, self.section_id, str(self.version), self.verb)
        return f"link-{sha256('/'.join(parts).encode()).hexdigest()[:40]}"


def read_link(token: str, now: datetime) -> DecisionLink:
    """The decision that a token is about; raises `InvalidLink`."""
    if len(token) > MAX_TOKEN:
        raise InvalidLink("the link is none of a decision")
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        link = DecisionLink.model_validate_json(data)
    except (ValidationError, binascii.Error, ValueError):
        raise InvalidLink("the link is none of a decision") from None
    if link.expires_at <= now:
        raise InvalidLink("the link has expired; `stemma inbox` shows what waits")
    return link
