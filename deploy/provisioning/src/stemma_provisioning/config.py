"""The configuration of a NATS server for Stemma: one account, its users, and a system account apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .permissions import User, users
from .topology import DEFAULT_TENANTS, MAX_PAYLOAD

SYSTEM_USER = "sys"


def user_names(tenants: Sequence[str] = DEFAULT_TENANTS) -> list[str]:
    """Everybody who needs a password."""
    return [SYSTEM_USER, *(user.name for user in users(tenants))]


@dataclass(frozen=True)
class ServerConfig:
    """What differs between servers; ``port`` -1 takes a free one and tells it in ``ports_file_dir``.

    ``passwords`` are by user name, in plain text or as bcrypt hashes.
    """

    store_dir: Path
    passwords: Mapping[str, str] = field(repr=False)
    tenants: Sequence[str] = DEFAULT_TENANTS
    host: str = "127.0.0.1"
    port: int = 4222
    ports_file_dir: Path | None = None
    server_name: str = "stemma"

    def render(self) -> str:
        """The text of the configuration file; raises `KeyError` for a user without a password."""
        ports = [f"ports_file_dir: {_quoted(self.ports_file_dir)}"] if self.ports_file_dir else []
        return "\n".join(
            [
                f"server_name: {_quoted(self.server_name)}",
                f"host: {_quoted(self.host)}",
                f"port: {self.port}",
                *ports,
                f"max_payload: {MAX_PAYLOAD}",
                "jetstream {",
                f"  store_dir: {_quoted(self.store_dir)}",
                "  sync_interval: always",
                "}",
                "accounts {",
                f"  SYS {{ users: [ {{ user: {SYSTEM_USER}, password: {self._password(SYSTEM_USER)} }} ] }}",
                "  STEMMA {",
                "    jetstream: enabled",
                "    users: [",
                *(self._user(user) for user in users(self.tenants)),
                "    ]",
                "  }",
                "}",
                "system_account: SYS",
                "",
            ]
        )

    def _password(self, name: str) -> str:
        return _quoted(self.passwords[name])

    def _user(self, user: User) -> str:
        deny = f", deny: {_list(user.deny)}" if user.deny else ""
        return (
            f"      {{ user: {_quoted(user.name)}, password: {self._password(user.name)}, permissions: {{\n"
            f"        publish: {{ allow: {_list(user.publish)}{deny} }},\n"
            f"        subscribe: {{ allow: {_list(user.subscribe)} }} }} }}"
        )


def _quoted(value: object) -> str:
    return json.dumps(str(value))


def _list(values: Sequence[str]) -> str:
    return json.dumps(list(values))
