"""The configuration of a NATS server for Stemma: its accounts and their users, and a system account apart."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .accounts import Account, Export, Import, accounts, exports
from .bounds import Bounds
from .permissions import ADMISSION, ASKED, CONNECTIONS, Line, User, inbox_prefix, users
from .topology import DEFAULT_BOUNDS, DEFAULT_TENANTS, MAX_PAYLOAD

SYSTEM_USER = "sys"
SYSTEM_ACCOUNT = "SYS"
LOGIN_WITHIN_S = 2
SLOW_CALLERS = ('  handshake_first: "1s"', "  timeout: 5")
"""How long a caller may take to begin with the handshake before the server speaks, and how many seconds in all."""
PING_EVERY_S, UNANSWERED_PINGS = 15, 2
"""A process that hangs keeps its share of what is pushed, until the server has sent it one more ping than these."""


def user_names(tenants: Sequence[str] = DEFAULT_TENANTS) -> list[str]:
    return [SYSTEM_USER, ADMISSION, *(user.name for user in users(tenants))]


@dataclass(frozen=True)
class AdmissionKeys:
    """The public keys of the admission: what it connects with, and what its answers are signed with."""

    user: str
    issuer: str


@dataclass(frozen=True)
class ServerTls:
    """The files of a server that encrypts; with ``ca`` it wants certificates of its callers, too."""

    certificate: Path
    key: Path
    ca: Path | None = None

    def render(self) -> list[str]:
        """Callers may begin with the handshake, and so tell nothing to who has no certificate.

        The server waits for them longer than it would by itself: one that is busy and comes later would read plain text
        where it expects a handshake.
        """
        return ["tls {", *self._files(), *SLOW_CALLERS, "}"]

    def of_routes(self) -> list[str]:
        """The same between servers, each of which begins with the handshake anyway."""
        return ["tls {", *self._files(), "}"]

    def _files(self) -> list[str]:
        callers = [f"  ca_file: {_quoted(self.ca)}", "  verify: true"] if self.ca else []
        return [f"  cert_file: {_quoted(self.certificate)}", f"  key_file: {_quoted(self.key)}", *callers]


@dataclass(frozen=True)
class ServerCluster:
    """Several servers that are one; ``routes`` are the addresses at which each finds the others, its own among them.

    Whoever connects to ``port`` is a server to all accounts: it must show a certificate that ``tls`` trusts.
    """

    routes: Sequence[str]
    tls: ServerTls
    host: str = "127.0.0.1"
    port: int = 6222
    name: str = "stemma"

    def render(self) -> list[str]:
        return [
            "cluster {",
            f"  name: {_quoted(self.name)}",
            f"  host: {_quoted(self.host)}",
            f"  port: {self.port}",
            f"  routes: {json.dumps([f'tls://{route}' for route in self.routes])}",
            *(f"  {line}" for line in self.tls.of_routes()),
            "}",
        ]


@dataclass(frozen=True)
class ServerConfig:
    """What differs between servers; ``port`` -1 takes a free one and tells it in ``ports_file_dir``.

    ``passwords`` are by user name, in plain text or as bcrypt hashes; who has one of the public ``keys`` needs none.
    Who is none of these users is admitted or not by the admission.
    """

    store_dir: Path
    passwords: Mapping[str, str] = field(repr=False)
    admission: AdmissionKeys
    tenants: Sequence[str] = DEFAULT_TENANTS
    bounds: Bounds = DEFAULT_BOUNDS
    host: str = "127.0.0.1"
    port: int = 4222
    ports_file_dir: Path | None = None
    server_name: str = "stemma"
    keys: Mapping[str, str] = field(default_factory=dict)
    tls: ServerTls | None = None
    cluster: ServerCluster | None = None

    def render(self) -> str:
        """The text of the configuration file; raises `KeyError` for a user without a password."""
        ports = [f"ports_file_dir: {_quoted(self.ports_file_dir)}"] if self.ports_file_dir else []
        every = accounts(self.tenants, self.bounds)
        given = exports(every)
        return "\n".join(
            [
                f"server_name: {_quoted(self.server_name)}",
                f"host: {_quoted(self.host)}",
                f"port: {self.port}",
                *ports,
                *(self.tls.render() if self.tls else ()),
                *(self.cluster.render() if self.cluster else ()),
                f"max_payload: {MAX_PAYLOAD}",
                f'ping_interval: "{PING_EVERY_S}s"',
                f"ping_max: {UNANSWERED_PINGS}",
                "jetstream {",
                f"  store_dir: {_quoted(self.store_dir)}",
                "  sync_interval: always",
                "}",
                *self._authorization(),
                "accounts {",
                *self._system(),
                *(self._account(account, given.get(account.name, [])) for account in every),
                "}",
                f"system_account: {SYSTEM_ACCOUNT}",
                "",
            ]
        )

    def _authorization(self) -> list[str]:
        """Nothing of it may differ when a tenant comes: the server does not take that over while it runs.

        So programs of tenants are configured, which keeps their connections when the configuration is read again, and
        asked about as well.
        """
        return [
            "authorization {",
            f"  timeout: {LOGIN_WITHIN_S}",
            "  auth_callout {",
            f"    issuer: {_quoted(self.admission.issuer)}",
            f"    account: {SYSTEM_ACCOUNT}",
            f"    auth_users: {json.dumps([self.admission.user, SYSTEM_USER, *self._shown()])}",
            "  }",
            "}",
        ]

    def _shown(self) -> list[str]:
        return [self.keys.get(user.name, user.name) for user in users(())]

    def _system(self) -> list[str]:
        publish = json.dumps([CONNECTIONS, "$SYS.REQ.SERVER.*.KICK"])
        hears = json.dumps([ASKED, f"{inbox_prefix(ADMISSION)}.>"])
        return [
            f"  {SYSTEM_ACCOUNT} {{",
            "    users: [",
            f"      {{ user: {SYSTEM_USER}, password: {self._password(SYSTEM_USER)} }}",
            f"      {{ nkey: {_quoted(self.admission.user)}, permissions: {{",
            f"        publish: {{ allow: {publish} }}, subscribe: {{ allow: {hears} }}, allow_responses: true }} }}",
            "    ]",
            "  }",
        ]

    def _account(self, account: Account, given: Sequence[Export]) -> str:
        consumers = f" {{ max_consumers: {account.consumers} }}" if account.consumers else ": enabled"
        jetstream = [f"    jetstream{consumers}"] if account.jetstream else []
        limits = [f"    limits {{ max_connections: {account.connections} }}"] if account.connections else []
        users_ = _block("users", [self._user(user) for user in account.users])
        imports = _block("imports", [_import(line) for line in account.imports])
        shared = _block("exports", [_export(line) for line in given])
        return "\n".join([f"  {_quoted(account.name)} {{", *jetstream, *limits, *users_, *shared, *imports, "  }"])

    def _login(self, name: str) -> str:
        if key := self.keys.get(name):
            return f"nkey: {key}"
        return f"user: {_quoted(name)}, password: {self._password(name)}"

    def _password(self, name: str) -> str:
        return _quoted(self.passwords[name])

    def _user(self, user: User) -> str:
        return (
            f"{{ {self._login(user.name)}, permissions: {{\n"
            f"        publish: {{ allow: {_subjects(user.publish)} }},\n"
            f"        subscribe: {{ allow: {_subjects(user.subscribe)} }} }} }}"
        )


def _block(name: str, lines: Sequence[str]) -> list[str]:
    return [f"    {name}: [", *(f"      {line}" for line in lines), "    ]"] if lines else []


def _export(line: Export) -> str:
    replies = ", response_type: stream" if line.many_replies else ""
    return f"{{ {line.kind}: {_quoted(line.subject)}, accounts: {json.dumps(line.accounts)}{replies} }}"


def _import(line: Import) -> str:
    to = f", to: {_quoted(line.to)}" if line.to else ""
    return f"{{ {line.kind}: {{ account: {_quoted(line.of)}, subject: {_quoted(line.subject)} }}{to} }}"


def _quoted(value: object) -> str:
    return json.dumps(str(value))


def _subjects(lines: Sequence[Line]) -> str:
    return json.dumps([line.subject for line in lines])
