"""Where the server is and who is asking: arguments first, then the environment, then the state file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STATE_FILE = "stemma.json"
DATA_DIR = ".stemma"
DEFAULT_URL = "nats://127.0.0.1:4222"
DEFAULT_TENANT = "default"


@dataclass(frozen=True)
class ServerAddress:
    """A NATS server and the user that the caller is there; ``tenant`` is pinned by the user's permissions."""

    url: str
    tenant: str = DEFAULT_TENANT
    user: str | None = None
    password: str | None = field(default=None, repr=False)


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
    password never goes to a server that it is not for.
    """
    url = url or environ.get("STEMMA_NATS_URL")
    state = {} if url else _read_state(data_dir(environ) / STATE_FILE)
    tenant = tenant or environ.get("STEMMA_TENANT") or state.get("tenant", DEFAULT_TENANT)
    password = password or environ.get("STEMMA_NATS_PASSWORD") or state.get("password")
    user = user or environ.get("STEMMA_NATS_USER") or state.get("user")
    if password and not user:
        user = client_user(tenant)
    return ServerAddress(url or state.get("url", DEFAULT_URL), tenant, user, password)


def _read_state(path: Path) -> dict[str, str]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in state.items() if isinstance(v, str)} if isinstance(state, dict) else {}
