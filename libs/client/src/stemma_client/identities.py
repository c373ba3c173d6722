"""People who show what an OpenID provider signed: who such a person is here, the server tells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stemma_contracts.identities import KnownAs, asks_who

from .connection import CALL_TIMEOUT_S, connect
from .errors import AccessDeniedError
from .logins import IdentityLogin
from .settings import ServerAddress

USER_INFO = "$SYS.REQ.USER.INFO"


async def address_of_identity(token: str, url: str, tls: Mapping[str, Any]) -> ServerAddress:
    """The person whom a token of the provider stands for; raises `AccessDeniedError` if it stands for nobody."""
    asking = ServerAddress(url, user=asks_who(token), password=token, tls=tls)
    async with connect(asking, _ignore) as connection:
        told = await connection.call(connection.nats.request(USER_INFO, b"", timeout=CALL_TIMEOUT_S))
    try:
        known = KnownAs.read(json.loads(told.data)["data"]["user"].rpartition("/")[0])
    except (ValueError, KeyError, TypeError):
        raise AccessDeniedError(f"the server at {asking.shown} does not say whose token this is") from None
    login = IdentityLogin(known.tenant, known.person, known.role, token)
    return ServerAddress(url, known.tenant, known.person, login=login, tls=tls)


def _ignore(line: str) -> None:
    """It is over in a moment."""
