"""The tenants of an installation: kept in its folder, and served at once where it runs."""

from __future__ import annotations

import fcntl
import json
import time
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter
from stemma_client.settings import DEFAULT_TENANT
from stemma_contracts.tokens import check_token
from stemma_provisioning import client_user

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import say, say_json, say_table

from .folder import CREDENTIALS_FILE, DataFolder, write_private

SERVED_WITHIN_S = 60.0
POLL_S = 0.1
_KEPT = TypeAdapter(dict[str, list[str]])


class DamagedTenantsError(RuntimeError):
    """The file of the tenants cannot be read."""


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


def add(data: Path, name: str, *, as_json: bool) -> None:
    """Add a tenant: where Stemma runs, it is served when this returns."""
    folder = _folder(data)
    check_token(name, "tenant")
    if name in (served := _served(folder)) or name in (DEFAULT_TENANT, *_known(folder)):
        raise CliError(ExitCode.USAGE, f"{name} is there already", "see `stemma tenant list`")
    KeptTenants(folder).add(name)
    if served:
        _wait(folder, name)
    passwords = folder.root / CREDENTIALS_FILE
    if as_json:
        told = {"tenant": name, "served": bool(served), "user": client_user(name), "passwords": str(passwords)}
        say_json(told)
    elif served:
        say(f"{name} is served; its programs are {client_user(name)} with the password in {passwords}")
        say(f"people: stemma user add NAME --role author --tenant {name}")
    else:
        say(f"{name} is served from the next `stemma up` on")


def list_all(data: Path, *, as_json: bool) -> None:
    """Every tenant, and whether it is served now."""
    folder = _folder(data)
    served = _served(folder)
    rows = [(name, name in served) for name in dict.fromkeys([*served, DEFAULT_TENANT, *_known(folder)])]
    if as_json:
        say_json([{"tenant": name, "served": is_served} for name, is_served in rows])
    else:
        say_table(("TENANT", "SERVED"), [(name, "yes" if is_served else "no") for name, is_served in rows])


def _folder(data: Path) -> DataFolder:
    folder = DataFolder(data)
    if not folder.root.is_dir():
        raise CliError(ExitCode.USAGE, f"there is no Stemma in {data}", "go to the folder of `stemma up`")
    return folder


def _known(folder: DataFolder) -> list[str]:
    try:
        return KeptTenants(folder).names()
    except DamagedTenantsError as error:
        raise CliError(ExitCode.FAILED, str(error)) from None


def _served(folder: DataFolder) -> list[str]:
    """The tenants that are served now: none where nothing runs."""
    with suppress(OSError, ValueError, KeyError):
        return [str(name) for name in json.loads(folder.state_file.read_text(encoding="utf-8"))["tenants"]]
    return []


def _wait(folder: DataFolder, name: str) -> None:
    deadline = time.monotonic() + SERVED_WITHIN_S
    while name not in _served(folder):
        if time.monotonic() > deadline:
            raise CliError(ExitCode.FAILED, f"{name} is kept, and not served yet", "see what `stemma up` tells")
        time.sleep(POLL_S)
