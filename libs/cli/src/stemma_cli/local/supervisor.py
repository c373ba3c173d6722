"""All of Stemma on one machine: NATS, its streams, and the services, in one process or in one each."""

import asyncio
import os
import socket
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import TracebackType
from typing import Self

import nats
from nats.errors import Error as NatsError
from stemma_client.client import Client
from stemma_client.settings import DEFAULT_TENANT
from stemma_contracts import subjects
from stemma_contracts.connections import servers_in
from stemma_messaging.cancellation import end, raise_if_cancelled
from stemma_provisioning import PROVISIONER, Bounds, NatsServer, ServerFailed, client_user, inbox_prefix, provision
from stemma_provisioning.config import user_names
from stemma_provisioning.providers import Trusted
from stemma_provisioning.replicas import ONE
from stemma_provisioning.topology import DEFAULT_BOUNDS

from stemma_cli.local.processes import RETRY_S, ManagedNats, end_left_over

from .folder import DamagedPasswordsError, DataFolder, installation_of
from .llama import LlamaServer
from .model import Model, variables_by_check
from .processes import ManagedProcess, Report
from .run import SERVICES_GROUP
from .tenants import DamagedTenantsError, KeptTenants

CALL_MODELS = (subjects.GENERATION, subjects.EDITOR)
WRITING = (subjects.ORCHESTRATOR, *subjects.WORKERS)
_ALL = (*subjects.SERVICES, subjects.GATEWAY)
_OURS, _CHECKPOINTS, _PASSWORDS = "STEMMA_", "STEMMA_CHECKPOINT_", "STEMMA_PASSWORD_"
_SYSTEM = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP VIRTUAL_ENV LD_LIBRARY_PATH "
    "SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY".split()
)
_FAMILIES = ("LC_", "PYTHON", "COV_", "COVERAGE_", "OTEL_", "XDG_")


def environment_of(service: str, surroundings: Mapping[str, str]) -> dict[str, str]:
    """The variables that a service is started with.

    Providers call their keys as they like, so a service that calls no model gets what is known to be no key; and
    none gets what is set for another one alone.
    """
    return {name: value for name, value in surroundings.items() if _is_for(service, name.upper())}


def _is_for(service: str, name: str) -> bool:
    if name.startswith(_CHECKPOINTS):
        return service == subjects.GENERATION
    if name.startswith(_PASSWORDS):
        return False
    if name.startswith(_OURS):
        return not any(name.startswith(_own(other)) for other in _ALL if other != service)
    return service in CALL_MODELS or name in _SYSTEM or name.startswith(_FAMILIES)


def _own(service: str) -> str:
    return f"{_OURS}{service.upper().replace('-', '_')}_"


ALL, MODEL_SERVER = "services", "model"
GATEWAY_PORT = "STEMMA_GATEWAY_PORT"
LINK_BASE = "STEMMA_NOTIFIER_LINK_BASE"
COOKIE_KEYS, COOKIES = "STEMMA_GATEWAY_COOKIE_KEYS", "cookies"
SIGNING_SECRET, SIGNING = "STEMMA_CONVERTER_SIGNING_SECRET", "signing"
READY_WITHIN_S = 120.0
WATCH_S = 0.2


class NotInstalledError(RuntimeError):
    """Services that are needed are missing beside the command; the message names them."""


def _silent(name: str, message: str) -> None: ...


def service_names(report: Report = _silent, needed: Iterable[str] = WRITING) -> list[str]:
    """The services that are installed, found by their entry points; ``report`` gets which are not.

    Raises `NotInstalledError` if one that is needed is not: as a rule, one without which no document is written.
    """
    found = entry_points(group=SERVICES_GROUP).names
    if missing := sorted({*needed} - found):
        packages = " ".join(f"stemma-{name}" for name in missing)
        raise NotInstalledError(f"services that are needed are not installed beside this command: {packages}")
    for name in sorted({*_ALL} - found):
        report(name, f"not installed, all else runs without it; to have it, install stemma-{name}")
    return sorted(found)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class LocalStemma:
    """A running installation; an async context manager that is ready when it is entered.

    ``services`` are the ones to start (all that are installed), in one process or, with ``processes``, in one each;
    ``env`` holds environment variables by service, ``report`` gets what happens to which process. Making one raises
    `NotInstalledError`, entering it `AlreadyRunningError`, `ServerFailed` and `DidNotStartError`; leaving stops the
    services first and NATS last.
    """

    def __init__(
        self,
        data: Path,
        *,
        port: int | None = None,
        tenants: Sequence[str] = (DEFAULT_TENANT,),
        services: Iterable[str] | None = None,
        env: Mapping[str, Mapping[str, str]] | None = None,
        processes: bool = False,
        model: Model | None = None,
        llama: LlamaServer | None = None,
        ack_wait_s: float | None = None,
        bounds: Bounds = DEFAULT_BOUNDS,
        ready_within_s: float = READY_WITHIN_S,
        report: Report = _silent,
    ) -> None:
        self.folder = DataFolder(data)
        self.services: dict[str, ManagedProcess] = {}
        self.names = service_names(report) if services is None else list(services)
        self._port = port or -1
        self._tenants = tenants
        self._env = dict(env or {})
        self._separate = processes
        self._llama, self._model = llama, model
        self._ack_wait_s = ack_wait_s
        self._bounds = bounds
        self._ready_within_s = ready_within_s
        self._report = report
        self._replicas = ONE
        self._gateway_port = int(os.environ.get(GATEWAY_PORT) or free_port())
        self._passwords: dict[str, str] = {}
        self._cookie_key = self._signing_secret = ""
        self._nats: ManagedNats | None = None
        self._stack = AsyncExitStack()

    @property
    def nats(self) -> ManagedNats:
        if self._nats is None:
            raise RuntimeError("not started")
        return self._nats

    @property
    def url(self) -> str:
        return self.nats.url

    @property
    def gateway_url(self) -> str:
        """Where the gateway listens to HTTP; it stays the same when it is started again."""
        return f"http://127.0.0.1:{self._gateway_port}"

    def password(self, user: str) -> str:
        return self._passwords[user]

    def client(self, tenant: str = DEFAULT_TENANT) -> AbstractAsyncContextManager[Client]:
        user = client_user(tenant)
        return Client.connect(self.url, tenant=tenant, user=user, password=self._passwords[user])

    async def start_service(self, name: str) -> None:
        """Start a service that was stopped, and wait until it is ready. Raises `DidNotStartError`."""
        await self.services[name].start(self._ready_within_s)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self.folder.create()
            stack.enter_context(self.folder.locked())
            await self._start_nats(stack)
            await self._provision(self._tenants)
            await self._choose_model(stack)
            await self._start_services(stack)
            raise_if_cancelled()
            self._write_state()
            watching = asyncio.create_task(self._watch_tenants())
            stack.push_async_callback(end, [watching])
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _start_nats(self, stack: AsyncExitStack) -> None:
        self._tenants = self._all_tenants()
        self._passwords = self.folder.make_passwords(user_names(self._tenants))
        kept = self.folder.make_passwords([COOKIES, SIGNING])
        self._cookie_key, self._signing_secret = kept[COOKIES], kept[SIGNING]
        await end_left_over(self._nats_folder, self._passwords[PROVISIONER])
        self._nats = self._make_nats()
        stack.callback(self.folder.clear_state)
        stack.push_async_callback(self._nats.stop)
        await self._nats.start()

    @property
    def _nats_folder(self) -> Path:
        return self.folder.root / "nats"

    def _make_nats(self) -> ManagedNats:
        server = NatsServer(
            self._nats_folder,
            tenants=self._tenants,
            passwords=self._passwords,
            port=self._port,
            bounds=self._bounds,
            trusted=Trusted.of(os.environ),
        )
        return ManagedNats(server, self._told)

    async def _provision(self, tenants: Sequence[str]) -> None:
        connection = await nats.connect(
            servers_in(self.url),
            user=PROVISIONER,
            password=self._passwords[PROVISIONER],
            inbox_prefix=inbox_prefix(PROVISIONER),
        )
        try:
            await provision(connection, tenants, self._ack_wait_s, self._bounds, self._replicas)
        finally:
            await connection.close()

    def _all_tenants(self) -> Sequence[str]:
        return tuple(dict.fromkeys([*self._tenants, *KeptTenants(self.folder).names()]))

    async def _watch_tenants(self) -> None:
        """Serve who is added; what stands in the way is told, and tried again."""
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                if (tenants := self._all_tenants()) != self._tenants:
                    await self._serve(tenants)
            except (ServerFailed, NatsError, DamagedPasswordsError, DamagedTenantsError, OSError) as error:
                self._report("tenants", str(error))
                await asyncio.sleep(RETRY_S)

    async def _serve(self, tenants: Sequence[str]) -> None:
        self._passwords.update(self.folder.make_passwords(user_names(tenants)))
        await self.nats.admit(tenants)
        await self._provision(tenants)
        before, self._tenants = self._tenants, tenants
        self._told("tenants", f"{', '.join(name for name in tenants if name not in before)} served")

    async def _choose_model(self, stack: AsyncExitStack) -> None:
        """Start the server of the model, if it is ours, and have the services use the model."""
        if self._llama is not None:
            await self._start_llama(stack, self._llama)
        if self._model is None:
            return
        told: Mapping[str, str] = self._model.variables
        if self._llama is None or not self._llama.is_small:
            told = await variables_by_check(
                self._model, self.folder.root, partial(self._told, MODEL_SERVER), self._model_file
            )
        self._env |= {name: {**told, **self._env.get(name, {})} for name in CALL_MODELS}

    @property
    def _model_file(self) -> str:
        return self._llama.version if self._llama else ""

    async def _start_llama(self, stack: AsyncExitStack, llama: LlamaServer) -> None:
        ready_file = self.folder.ready_file(MODEL_SERVER)
        environment = environment_of(MODEL_SERVER, os.environ) | {"STEMMA_READY_FILE": str(ready_file)}
        model = ManagedProcess(
            MODEL_SERVER,
            llama.command,
            environment,
            log=self.folder.log(MODEL_SERVER),
            ready_file=ready_file,
            report=self._told,
        )
        stack.push_async_callback(model.stop)
        await model.start(self._ready_within_s)

    async def _start_services(self, stack: AsyncExitStack) -> None:
        if self._separate:
            self.services = {name: self._process(name, "stemma_cli.local.run", name) for name in self.names}
        elif self.names:
            self.services = {ALL: self._process(ALL, "stemma_cli.local.together", *self.names)}
        stack.push_async_callback(self._stop_services)
        await asyncio.gather(*(self.start_service(name) for name in self.services))

    async def _stop_services(self) -> None:
        await asyncio.gather(*(service.stop() for service in self.services.values()))

    def _process(self, name: str, module: str, *services: str) -> ManagedProcess:
        return ManagedProcess(
            name,
            [sys.executable, "-P", "-m", module, *services],
            self.environment_of(name),
            log=self.folder.log(name),
            ready_file=self.folder.ready_file(name),
            report=self._told,
        )

    def environment_of(self, name: str) -> dict[str, str]:
        password = self._passwords.get(name)
        who = {"STEMMA_NATS_USER": name, "STEMMA_NATS_PASSWORD": password} if password else {}
        around = os.environ if name == ALL else environment_of(name, os.environ)
        return {
            GATEWAY_PORT: str(self._gateway_port),
            **self._own(name),
            **around,
            **self._extra(name),
            **who,
            "STEMMA_NATS_URL": self.url,
            "STEMMA_READY_FILE": str(self.folder.ready_file(name)),
            "STEMMA_DATA_DIR": str(self.folder.root),
        }

    def _own(self, name: str) -> dict[str, str]:
        """What a service cannot know by itself; the surroundings win."""
        told = {
            subjects.GATEWAY: {COOKIE_KEYS: self._cookie_key},
            subjects.CONVERTER: {SIGNING_SECRET: self._signing_secret},
            subjects.NOTIFIER: {LINK_BASE: self.gateway_url},
        }
        return {key: value for each in (told if name == ALL else [name]) for key, value in told.get(each, {}).items()}

    def _extra(self, name: str) -> dict[str, str]:
        shared = self._env.values() if name == ALL else [self._env.get(name, {})]
        return {key: value for env in shared for key, value in env.items()}

    def _told(self, name: str, message: str) -> None:
        self._report(name, message)
        # On a full disk all that runs goes on, and it is written with the next word.
        with suppress(OSError):
            self._write_state()

    def _write_state(self) -> None:
        user = client_user(self._tenants[0])
        self.folder.write_state(
            {
                "url": self.url,
                "gateway": self.gateway_url,
                "tenant": self._tenants[0],
                "tenants": self._tenants,
                "user": user,
                "password": self._passwords[user],
                "model": self._model and self._model.model_dump(),
                "model_file": self._model_file,
                "pid": os.getpid(),
                "nats_pid": self.nats.pid,
                "installation": installation_of(self._passwords[PROVISIONER]),
                "services": {name: service.pid for name, service in self.services.items()},
            }
        )
