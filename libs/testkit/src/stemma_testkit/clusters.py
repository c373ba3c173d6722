"""Three NATS servers that are one, for tests: real processes with routes between them that are encrypted.

They have the accounts and the admission of a single server. None is started again by itself.
"""

import asyncio
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import nats
from nats.aio.client import Client
from stemma_cli.local.processes import ManagedNats
from stemma_cli.local.supervisor import LocalStemma
from stemma_provisioning import PROVISIONER, NatsServer, client_user, inbox_prefix
from stemma_provisioning.admission import Admitting, Seals
from stemma_provisioning.admitted import Admitted
from stemma_provisioning.config import ServerCluster, ServerTls, user_names
from stemma_provisioning.permissions import ADMISSION
from stemma_provisioning.replicas import Replicas
from stemma_provisioning.topology import DEFAULT_TENANTS

from stemma_testkit.serving import free_port

from .certificates import Authority

NAMES = ("nats-1", "nats-2", "nats-3")


class Node(NatsServer):
    """One of them; whom to admit it is told by others."""

    def __init__(self, folder: Path, *, name: str, **more: Any) -> None:
        super().__init__(folder, name=name, **more)
        self.name = name

    def let_in(self) -> None:
        """Nobody: the admission of all is for this one, too."""

    def let_nobody_in(self) -> None:
        """The same."""

    def lose_disk(self) -> None:
        shutil.rmtree(self.folder / "data")


class NatsCluster:
    def __init__(
        self, folder: Path, passwords: dict[str, str] | None = None, tenants: Sequence[str] = DEFAULT_TENANTS
    ) -> None:
        self.folder = folder
        self.passwords = passwords or {name: secrets.token_hex(16) for name in user_names(tenants)}
        self._tenants = tenants
        self._admission = Admitting(folder / "admitted", Seals.of(self.passwords[ADMISSION]))
        folder.mkdir(parents=True, exist_ok=True)
        authority = Authority(folder)
        node = authority.certify("node")
        self._tls = ServerTls(node.certificate, node.key, authority.ca)
        ports = {name: free_port() for name in NAMES}
        routes = [f"127.0.0.1:{port}" for port in ports.values()]
        self.nodes = {name: self._node(name, ServerCluster(routes, self._tls, port=ports[name])) for name in NAMES}

    def _node(self, name: str, cluster: ServerCluster) -> Node:
        return Node(
            self.folder / name,
            tenants=self._tenants,
            passwords=self.passwords,
            port=free_port(),
            name=name,
            cluster=cluster,
        )

    @property
    def url(self) -> str:
        return ",".join(node.url for node in self.nodes.values())

    def start(self) -> Self:
        for node in self.nodes.values():
            if not node.running:
                node.start()
        for tenant in self._tenants:
            user = client_user(tenant)
            Admitted(self.folder / "admitted", tenant).admit_program(user, self.passwords[user])
        self._admission.start(self.url)
        return self

    def stop(self) -> None:
        self._admission.stop()
        for node in self.nodes.values():
            node.stop()

    async def connect(self, user: str = PROVISIONER, to: Sequence[Node] = ()) -> Client:
        """A connection as one of the users, to these servers or any, which goes on to another when one is gone."""
        return await nats.connect(
            [node.url for node in to or self.nodes.values()],
            user=user,
            password=self.passwords[user],
            inbox_prefix=inbox_prefix(user),
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,
            error_cb=_ignore,
        )


async def _ignore(error: Exception) -> None: ...


@contextmanager
def running_cluster(folder: Path) -> Iterator[NatsCluster]:
    """Three servers, empty."""
    cluster = NatsCluster(folder)
    try:
        yield cluster.start()
    finally:
        cluster.stop()


class ManagedCluster(ManagedNats):
    """The servers of an installation; a test kills and starts them, and nobody else."""

    def __init__(self, cluster: NatsCluster) -> None:
        first = next(iter(cluster.nodes.values()))
        super().__init__(first, lambda name, message: None)
        self.cluster = cluster

    @property
    def url(self) -> str:
        return self.cluster.url

    async def start(self) -> None:
        await asyncio.to_thread(self.cluster.start)

    async def stop(self) -> None:
        await asyncio.to_thread(self.cluster.stop)


class ClusterStemma(LocalStemma):
    cluster: NatsCluster

    def _make_nats(self) -> ManagedNats:
        self._replicas = Replicas(len(NAMES))
        self.cluster = NatsCluster(self._nats_folder, self._passwords, self._tenants)
        return ManagedCluster(self.cluster)
