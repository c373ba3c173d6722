"""Which requests the server lets a caller make. A page offers nothing else."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

from nats.errors import Error as NatsError
from stemma_contracts import registry, subjects
from stemma_contracts.roles import may_ask

from .connection import CALL_TIMEOUT_S, Connection
from .errors import AccessDeniedError, StemmaError

if TYPE_CHECKING:
    from stemma_contracts.v1.requests import Request

USER_INFO = "$SYS.REQ.USER.INFO"
PATIENCE_S = 2.0
AGAIN_AFTER_S = 60.0
"""How long a server that did not answer is not asked again."""


class Rights:
    """``names`` are the requests that the server lets a caller make; before it told them, those of the role."""

    def __init__(self, connection: Connection) -> None:
        login = connection.address.login
        self._connection = connection
        self._prefix = (
            subjects.request_of(login.tenant, login.person, subjects.ANY).removesuffix(subjects.ANY) if login else ""
        )
        self._is_known, self._not_before = login is None, 0.0
        self.names = may_ask(login.role if login else "")

    async def learn(self) -> None:
        """Ask the server, once. Who types in a password knows no role, and a token may name an old one."""
        if self._is_known or time.monotonic() < self._not_before:
            return
        try:
            async with asyncio.timeout(PATIENCE_S):
                self.names = await self._told()
            self._is_known = True
        except AccessDeniedError:
            self._is_known = True  # A server whose configuration is older tells nobody.
        except (TimeoutError, NatsError, StemmaError, ValueError, LookupError, TypeError):
            self._not_before = time.monotonic() + AGAIN_AFTER_S

    def check(self, request: Request) -> None:
        """Raise `AccessDeniedError` for a request that the server would refuse, as far as it told that."""
        name = registry.entry_of(request).token
        if self._is_known and name not in self.names:
            raise AccessDeniedError.of("role_forbids", request=name)

    async def _told(self) -> frozenset[str]:
        asking = await self._connection.asking_connection()
        told = await self._connection.call(asking.request(USER_INFO, b"", timeout=CALL_TIMEOUT_S))
        allowed = json.loads(told.data)["data"]["permissions"]["publish"]["allow"]
        return frozenset(each.removeprefix(self._prefix) for each in allowed if each.startswith(self._prefix))
