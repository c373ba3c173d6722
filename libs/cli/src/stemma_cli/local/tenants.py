"""The tenants of an installation: kept in its folder, and served at once where it runs."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from stemma_client.logins import Login, login_of, public_key
from stemma_client.settings import DEFAULT_TENANT, DEFAULT_URL
from stemma_contracts.tokens import check_person
from stemma_provisioning.admitted import Admitted, AdmittedError, Keys
from stemma_provisioning.roles import Role
from stemma_provisioning.server import ADMITTED

from stemma_cli.exit_codes import CliError, ExitCode

from .folder import DataFolder, write_private

SERVED_WITHIN_S = 60.0
POLL_S = 0.1
_KEPT = TypeAdapter(dict[str, list[str]])


class DamagedTenantsError(RuntimeError): ...


class KeptTenants:
    """The tenants that were added to an installation; each change is made whole, by one process at a time."""

    def __init__(self, folder: DataFolder) -> None:
        self._file = folder.root / "tenants.json"

    def names(self) -> list[str]:
        """In the order in which they came; raises `DamagedTenantsError`."""
        try:
            return _KEPT.validate_json(self._file.read_bytes())["tenants"]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError):
            raise DamagedTenantsError(f"{self._file} is damaged: remove it, and add the tenants again") from None

    def add(self, name: str) -> None:
        """Keep one more; raises `DamagedTenantsError`."""
        with self._file.with_name(".tenants.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            names = self.names()
            write_private(self._file, {"tenants": [*names, *({name} - set(names))]})


@dataclass(frozen=True)
class Tenants:
    folder: DataFolder

    @classmethod
    def of(cls, data: Path) -> Tenants:
        """Those of a folder; raises `CliError` where there is no installation."""
        folder = DataFolder(data)
        if not folder.root.is_dir():
            raise CliError(ExitCode.USAGE, f"there is no Stemma in {data}", "go to the folder of `stemma up`")
        return cls(folder)

    def known(self) -> list[str]:
        try:
            return [DEFAULT_TENANT, *KeptTenants(self.folder).names()]
        except DamagedTenantsError as error:
            raise CliError(ExitCode.FAILED, str(error)) from None

    def served(self) -> list[str]:
        with suppress(OSError, ValueError, KeyError):
            return [str(name) for name in json.loads(self.folder.state_file.read_text(encoding="utf-8"))["tenants"]]
        return []

    def add(self, name: str) -> None:
        KeptTenants(self.folder).add(name)

    def wait_until_served(self, name: str) -> None:
        """Return once it is served; raises `CliError` if that takes too long."""
        deadline = time.monotonic() + SERVED_WITHIN_S
        while name not in self.served():
            if time.monotonic() > deadline:
                raise CliError(ExitCode.FAILED, f"{name} is kept, and not served yet", "see what `stemma up` tells")
            time.sleep(POLL_S)


@dataclass(frozen=True)
class Place:
    """Where it is kept who is admitted: with ``stemma up``, or in a folder of another server's admission."""

    data: Path
    folder: Path | None
    tenant: str
    given_url: str | None = None

    @property
    def admitted(self) -> Admitted:
        """Who is admitted to the tenant; raises `CliError` where there is no server."""
        nats = DataFolder(self.data).root / "nats"
        if self.folder is None and not nats.exists():
            hint = "go to the folder of `stemma up`, or name the folder of another server by --admitted"
            raise CliError(ExitCode.USAGE, f"there is no Stemma in {self.data}", hint)
        return Admitted(self.folder or nats / ADMITTED, self.tenant)

    @property
    def url(self) -> str:
        return self.given_url or str(self._state.get("url", DEFAULT_URL))

    @property
    def installation(self) -> str:
        return str(self._state.get("installation", ""))

    @property
    def _state(self) -> dict[str, Any]:
        if self.folder is None:
            with suppress(OSError, ValueError):
                return dict(json.loads(DataFolder(self.data).state_file.read_text(encoding="utf-8")))
        return {}


def role_of(name: str) -> Role:
    if name not in list(Role):
        raise CliError(ExitCode.USAGE, f"there is no role {name!r}", f"there are {', '.join(Role)}")
    return Role(name)


def file_of(name: str, output: Path | None) -> Path:
    return output or Path(f"{check_person(name)}.login")


def login_at(place: Place, name: str, password: str, role: Role = Role.READER) -> Login:
    return login_of(place.url, place.tenant, name, password, role=role, installation=place.installation)


def keys_of(login: Login) -> Keys:
    return Keys(public_key(login.reading_seed), public_key(login.asking_seed))


@contextmanager
def in_words() -> Iterator[None]:
    """Whoever cannot be admitted, or is not, is told so."""
    try:
        yield
    except AdmittedError as error:
        raise CliError(ExitCode.USAGE, str(error), "see `stemma user list`") from None
