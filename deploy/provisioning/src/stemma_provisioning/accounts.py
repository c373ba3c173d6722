"""The accounts of a NATS server for Stemma, and what crosses their borders, from the table of permissions.

A reply subject, a publish acknowledgement or the deliver subject of a consumer goes wherever its sender says, past all
permissions, but never out of an account. So all streams lie in one account, which the orchestrator and provisioning
alone enter. Every other service has an account without JetStream that imports the lines of its permissions, and so has
every tenant for its programs; its people have two. A consumer delivers where its maker likes: callers make theirs in an
account of copies of what their tenant may read, in which there is nothing else.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stemma_contracts import subjects
from stemma_contracts.subjects import ANY

from .bounds import Bounds
from .copies import Copy, copies
from .permissions import Line, User, asking_user, copies_account, program, reading_user, tenant_account, users
from .roles import EVERY_REQUEST
from .topology import DEFAULT_BOUNDS, DEFAULT_TENANTS, STREAMS

_API = "$JS.API"
_MANY_REPLIES = (f"{_API}.CONSUMER.MSG.NEXT.",)
_NO_JETSTREAM = "stemma.no-jetstream-here"


@dataclass(frozen=True)
class Import:
    """A subject of another account: a ``service`` takes what is published, a ``stream`` gives what is heard."""

    kind: Literal["service", "stream"]
    subject: str
    of: str
    to: str | None = None


@dataclass(frozen=True)
class Account:
    """An account with its users, what it imports, and how many connections, and consumers of a stream, it may have."""

    name: str
    users: tuple[User, ...]
    imports: tuple[Import, ...]
    jetstream: bool = False
    connections: int | None = None
    consumers: int | None = None


@dataclass(frozen=True)
class Export:
    kind: Literal["service", "stream"]
    subject: str
    accounts: tuple[str, ...]

    @property
    def many_replies(self) -> bool:
        return self.subject.startswith(_MANY_REPLIES)


def accounts(tenants: Sequence[str] = DEFAULT_TENANTS, bounds: Bounds = DEFAULT_BOUNDS) -> list[Account]:
    everybody = users(tenants)
    inside = tuple(user for user in everybody if user.account == STREAMS)
    services = [user for user in everybody if user.account not in (STREAMS, *map(tenant_account, tenants))]
    management = tuple(
        Import("service", f"{_API}.>", copies_account(tenant), f"{subjects.copies_api(tenant)}.>") for tenant in tenants
    )
    return [
        Account(STREAMS, inside, management, jetstream=True),
        *(Account(user.account, (user,), _lines(user)) for user in services),
        *(account for tenant in tenants for account in _of_tenant(tenant, bounds)),
    ]


def _of_tenant(tenant: str, bounds: Bounds) -> list[Account]:
    named, most = program(tenant), bounds.connections
    return [
        Account(named.account, (named,), _lines(named), connections=most),
        *(Account(user.account, (), _lines(user), connections=most) for user in _people(tenant)),
        Account(copies_account(tenant), (), _feeds(tenant), jetstream=True, consumers=bounds.consumers),
    ]


def _people(tenant: str) -> tuple[User, User]:
    """What people of a tenant may at most; they are no configured users: the admission lets them in."""
    return reading_user(tenant, ANY), asking_user(tenant, ANY, EVERY_REQUEST)


def exports(every: Sequence[Account]) -> dict[str, list[Export]]:
    """What each account must export for the imports of all, and nothing else."""
    wanted: dict[str, dict[tuple[Literal["service", "stream"], str], list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for account in every:
        for line in account.imports:
            wanted[line.of][line.kind, line.subject].append(account.name)
    return {
        name: [Export(kind, subject, tuple(importers)) for (kind, subject), importers in lines.items()]
        for name, lines in wanted.items()
    }


def _lines(user: User) -> tuple[Import, ...]:
    """What a user's permissions need of other accounts.

    The last line keeps the server from answering for its own API that JetStream is not enabled here.
    """
    services = [Import("service", line.subject, line.account) for line in _foreign(user, user.publish)]
    streams = [Import("stream", line.subject, line.account) for line in _foreign(user, user.subscribe)]
    return (*services, *streams, Import("service", _NO_JETSTREAM, STREAMS, f"{_API}.INFO"))


def _foreign(user: User, lines: Sequence[Line]) -> list[Line]:
    return [line for line in dict.fromkeys(lines) if line.account != user.account]


def _feeds(tenant: str) -> tuple[Import, ...]:
    return tuple(line for copy in copies(tenant) for line in _feed(copy))


def _feed(copy: Copy) -> tuple[Import, ...]:
    """What a copy needs of the streams' account: its deliveries, their flow control, and to begin them anew."""
    reset = f"CONSUMER.RESET.{copy.stream}.{copy.consumer}"
    return (
        Import("stream", f"{copy.deliveries}.*", STREAMS),
        Import("service", f"$JS.FC.{copy.stream}.{copy.consumer}.>", STREAMS),
        Import("service", f"{_API}.{reset}", STREAMS, f"{copy.origin_api}.{reset}"),
    )
