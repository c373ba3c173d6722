"""Which requests the server lets a caller make. A page offers nothing else."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

from nats.errors import Error as NatsError
from stemma_contracts import registry, subjects

from .connection import CALL_TIMEOUT_S, Connection
from .errors import AccessDeniedError, StemmaError

if TYPE_CHECKING:
    from stemma_contracts.v1.requests import Request

USER_INFO = "$SYS.REQ.USER.INFO"
PATIENCE_S = 2.0
AGAIN_AFTER_S = 60.0
"""How long a server that did not answer is not asked again."""


class Rights:
    """Those of one caller, as the server tells them; before that, those of the role."""

    def __init__(self, connection: Connection) -> None:
        login = connection.address.login
        self._connection = connection
        pattern = subjects.request_of(login.tenant, login.person, subjects.ANY) if login else ""
        self._prefix = pattern.removesuffix(subjects.ANY)
        self._role = login.role if login else ""
        self._names: frozenset[str] | None = None
        self._learned_at: int | None = None
        self._not_before = 0.0

    @property
    def names(self) -> frozenset[str]:
        """The names of the requests that the caller may make."""
        # The roles name every request, and most verbs make none.
        from stemma_contracts.roles import may_ask

        return may_ask(self._role) if self._names is None else self._names

    async def learn(self) -> None:
        """Ask the server, once for each time that it let the caller in.

        Who types in a password knows no role, a token may name an old one, and who comes back may have another.
        """
        admission = self._connection.reconnects
        is_known = self._connection.address.login is None or self._learned_at == admission
        if is_known or time.monotonic() < self._not_before:
            return
        try:
            async with asyncio.timeout(PATIENCE_S):
                self._names = await self._told()
            self._learned_at = admission
        except AccessDeniedError:
            self._names, self._learned_at = None, admission  # A server whose configuration is older tells nobody.
        except (TimeoutError, NatsError, StemmaError, ValueError, LookupError, TypeError):
            self._names, self._not_before = None, time.monotonic() + AGAIN_AFTER_S

    def check(self, request: Request) -> None:
        """Raise `AccessDeniedError` for a request that the server would refuse, as far as it told that."""
        name = registry.entry_of(request).token
        if self._names is not None and name not in self._names:
            raise AccessDeniedError.of("role_forbids", request=name)

    async def _told(self) -> frozenset[str]:
        asking = await self._connection.asking_connection()
        told = await self._connection.call(asking.request(USER_INFO, b"", timeout=CALL_TIMEOUT_S))
        allowed = json.loads(told.data)["data"]["permissions"]["publish"]["allow"]
        return frozenset(each.removeprefix(self._prefix) for each in allowed if each.startswith(self._prefix))
