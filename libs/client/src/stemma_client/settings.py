"""Where the server is and who is asking: arguments first, then the environment, then the state file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stemma_contracts.connections import BadCertificates, InvalidServers, check_servers, tls_of, without_credentials
from stemma_contracts.tokens import check_token

from .errors import InvalidAddressError, InvalidLoginError
from .logins import LOGIN_VARIABLE, IdentityLogin, Login, login_file, public_key, read_login

STATE_FILE = "stemma.json"
DATA_DIR = ".stemma"
DATA_VARIABLE = "STEMMA_DATA_DIR"
DEFAULT_URL = "nats://127.0.0.1:4222"
DEFAULT_TENANT = "default"
URL_VARIABLE = "STEMMA_NATS_URL"
TENANT_VARIABLE = "STEMMA_TENANT"
USER_VARIABLE = "STEMMA_NATS_USER"
PASSWORD_VARIABLE = "STEMMA_NATS_PASSWORD"
SEED_VARIABLE = "STEMMA_NATS_SEED_FILE"


@dataclass(frozen=True)
class ServerAddress:
    """A NATS server, or several with commas between, and the user that the caller is there.

    ``tenant`` is pinned by the user's permissions. With a ``login`` the caller is a person, else a program, which shows
    a password or has the secret key of a ``seed``. ``tls`` is what nats-py is told of certificates.
    """

    url: str = field(repr=False)
    tenant: str = DEFAULT_TENANT
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    login: Login | IdentityLogin | None = field(default=None, repr=False)
    seed: str | None = field(default=None, repr=False)
    tls: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def inbox(self) -> str:
        """Where replies come to: nobody else may listen there."""
        if self.login:
            return f"_INBOX.{self.login.person}"
        return f"_INBOX_{self.user}" if self.user else "_INBOX"

    @property
    def shown(self) -> str:
        """The address as people may see it, without a user or a password that stands in it."""
        return without_credentials(self.url)


def data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that ``stemma up`` keeps its data in: ``STEMMA_DATA_DIR``, else ``./.stemma``."""
    return Path(environ.get(DATA_VARIABLE, DATA_DIR))


def client_user(tenant: str) -> str:
    """The NATS user of the callers of a tenant."""
    return f"client-{tenant}"


def find_server(
    url: str | None = None,
    *,
    tenant: str | None = None,
    user: str | None = None,
    password: str | None = None,
    login: Path | None = None,
    environ: Mapping[str, str] = os.environ,
) -> ServerAddress:
    """The server to talk to, with the certificates that the environment names (`stemma_contracts.connections`).

    Raises as `_find_server` does, and `InvalidAddressError` for certificates that cannot be used.
    """
    try:
        tls = tls_of(environ)
    except BadCertificates as error:
        raise InvalidAddressError(str(error)) from None
    return replace(_find_server(url, tenant, user, password, login, environ), tls=tls)


def _find_server(
    url: str | None,
    tenant: str | None,
    user: str | None,
    password: str | None,
    login: Path | None,
    environ: Mapping[str, str],
) -> ServerAddress:
    """The server and who the caller is there.

    ``login`` or ``STEMMA_LOGIN`` names the login of a person. Without them and without a user, the caller is the person
    who is logged in at this server and tenant, if anybody is.
    The credentials of the state file are used only with the address of the state file, so that a
    password never goes to a server that it is not for. Raises `InvalidAddressError`, `InvalidLoginError` and, for a
    tenant, `InvalidToken`; each names the argument, the variable or the file that the value is from.
    """
    state_file = data_dir(environ) / STATE_FILE
    url, url_from = _given(url, "url", URL_VARIABLE, environ)
    state = {} if url else _read_state(state_file)
    seed = _seed_in(environ)
    if login or not (user or password or seed or environ.get(USER_VARIABLE) or environ.get(PASSWORD_VARIABLE)):
        named = login or (Path(environ[LOGIN_VARIABLE]) if environ.get(LOGIN_VARIABLE) else None)
        address = _of_named(named, url, state) if named else _of_person(login_file(environ), url, state)
        if address and (named or (tenant or environ.get(TENANT_VARIABLE) or address.tenant) == address.tenant):
            return address
    if not url:
        url, url_from = state.get("url", DEFAULT_URL), f"the url in {state_file}"
    tenant, tenant_from = _given(tenant, "tenant", TENANT_VARIABLE, environ)
    if not tenant:
        tenant, tenant_from = state.get("tenant", DEFAULT_TENANT), f"the tenant in {state_file}"
    password = password or environ.get(PASSWORD_VARIABLE) or state.get("password")
    user = user or environ.get(USER_VARIABLE) or state.get("user")
    if (password or seed) and not user:
        user = client_user(tenant)
    return ServerAddress(_checked_url(url, url_from), check_token(tenant, tenant_from), user, password, seed=seed)


def _seed_in(environ: Mapping[str, str]) -> str | None:
    if not (file := environ.get(SEED_VARIABLE)):
        return None
    try:
        seed = Path(file).read_text(encoding="utf-8").strip()
        public_key(seed)
    except (OSError, ValueError):
        raise InvalidLoginError(f"{SEED_VARIABLE} names no file with the seed of a user") from None
    return seed


def _of_named(file: Path, url: str | None, state: Mapping[str, str]) -> ServerAddress:
    login = read_login(file)
    return _as_person(login, url or (state["url"] if _is_for(login, state) else login.url))


def _of_person(file: Path, url: str | None, state: Mapping[str, str]) -> ServerAddress | None:
    """The person who is logged in, if that is for the server that is meant."""
    if not file.exists():
        return None
    login = read_login(file)
    meant = url or state.get("url") or login.url
    return _as_person(login, meant) if meant == login.url or _is_for(login, state) else None


def _is_for(login: Login, state: Mapping[str, str]) -> bool:
    return bool(login.installation) and login.installation == state.get("installation")


def _as_person(login: Login, url: str) -> ServerAddress:
    return ServerAddress(url, login.tenant, login.person, login=login)


def _given(value: str | None, argument: str, variable: str, environ: Mapping[str, str]) -> tuple[str | None, str]:
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
