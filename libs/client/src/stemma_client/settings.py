"""Where the server is and who is asking: arguments first, then the environment, then the state file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stemma_contracts.servers import InvalidServers, check_servers, without_credentials
from stemma_contracts.tokens import check_token

from .errors import InvalidAddressError

STATE_FILE = "stemma.json"
DATA_DIR = ".stemma"
DEFAULT_URL = "nats://127.0.0.1:4222"
DEFAULT_TENANT = "default"
URL_VARIABLE = "STEMMA_NATS_URL"
TENANT_VARIABLE = "STEMMA_TENANT"


@dataclass(frozen=True)
class ServerAddress:
    """A NATS server, or several with commas between, and the user that the caller is there.

    ``tenant`` is pinned by the user's permissions.
    """

    url: str = field(repr=False)
    tenant: str = DEFAULT_TENANT
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The address as people may see it, without a user or a password that stands in it."""
        return without_credentials(self.url)


def data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that ``stemma up`` keeps its data in: ``STEMMA_DATA_DIR``, else ``./.stemma``."""
    return Path(environ.get("STEMMA_DATA_DIR", DATA_DIR))


def client_user(tenant: str) -> str:
    """The NATS user of the callers of a tenant."""
    return f"client-{tenant}"


def find_server(
    url: str | None = None,
    *,
    tenant: str | None = None,
    user: str | None = None,
    password: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> ServerAddress:
    """The server to talk to.

    The credentials of the state file are used only with the address of the state file, so that a
    password never goes to a server that it is not for. Raises `InvalidAddressError` and, for a tenant, `InvalidToken`;
    each names the argument, the variable or the file that the value is from.
    """
    state_file = data_dir(environ) / STATE_FILE
    url, url_from = _given(url, "url", URL_VARIABLE, environ)
    state = {} if url else _read_state(state_file)
    if not url:
        url, url_from = state.get("url", DEFAULT_URL), f"the url in {state_file}"
    tenant, tenant_from = _given(tenant, "tenant", TENANT_VARIABLE, environ)
    if not tenant:
        tenant, tenant_from = state.get("tenant", DEFAULT_TENANT), f"the tenant in {state_file}"
    password = password or environ.get("STEMMA_NATS_PASSWORD") or state.get("password")
    user = user or environ.get("STEMMA_NATS_USER") or state.get("user")
    if password and not user:
        user = client_user(tenant)
    return ServerAddress(_checked_url(url, url_from), check_token(tenant, tenant_from), user, password)


def _given(value: str | None, argument: str, variable: str, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """A value and what gave it; an empty one counts as none."""
    return (value, argument) if value else (environ.get(variable), variable)


def _checked_url(url: str, given_by: str) -> str:
    try:
        return check_servers(url)
    except InvalidServers as error:
        raise InvalidAddressError(f"{given_by} {error}") from None


def _read_state(path: Path) -> dict[str, str]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in state.items() if isinstance(v, str)} if isinstance(state, dict) else {}
