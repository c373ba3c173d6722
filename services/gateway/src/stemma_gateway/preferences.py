"""What a caller says of how it wants to be answered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request

_WAIT = re.compile(r'(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?', re.IGNORECASE)
KEY = r'^"?[A-Za-z0-9_-]{1,64}"?$'


@dataclass(frozen=True)
class Preferences:
    """``wait_s`` is how long the caller waits for an answer, ``key`` the id by which the same request is known."""

    wait_s: float = 0
    key: str | None = None


def preferences(
    request: Request,
    prefer: Annotated[
        str | None,
        Header(description="`wait=N`: wait up to N seconds for the result (RFC 7240)", examples=["wait=10"]),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        Header(description="the same as `request_id` of the body: the same one is done once", pattern=KEY),
    ] = None,
) -> Preferences:
    """The preferences of a request; one that cannot be read is none."""
    found = _WAIT.search(prefer or "")
    wait_s = min(float(found.group(1)), request.app.state.max_wait_s) if found else 0
    return Preferences(wait_s, idempotency_key.strip('"') if idempotency_key else None)


Preferred = Annotated[Preferences, Depends(preferences)]
