"""The tenants of an installation: kept in its folder, and served at once where it runs."""

from __future__ import annotations

import fcntl
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter
from stemma_client.settings import DEFAULT_TENANT

from stemma_cli.exit_codes import CliError, ExitCode

from .folder import DataFolder, write_private

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


@dataclass(frozen=True)
class Tenants:
    """The tenants of an installation as a person sees them."""

    folder: DataFolder

    @classmethod
    def of(cls, data: Path) -> Tenants:
        """Those of a folder; raises `CliError` where there is no installation."""
        folder = DataFolder(data)
        if not folder.root.is_dir():
            raise CliError(ExitCode.USAGE, f"there is no Stemma in {data}", "go to the folder of `stemma up`")
        return cls(folder)

    def known(self) -> list[str]:
        """The one that there always is, and those that were added."""
        try:
            return [DEFAULT_TENANT, *KeptTenants(self.folder).names()]
        except DamagedTenantsError as error:
            raise CliError(ExitCode.FAILED, str(error)) from None

    def served(self) -> list[str]:
        """Those that are served now: none where nothing runs."""
        with suppress(OSError, ValueError, KeyError):
            return [str(name) for name in json.loads(self.folder.state_file.read_text(encoding="utf-8"))["tenants"]]
        return []

    def add(self, name: str) -> None:
        """Keep one more."""
        KeptTenants(self.folder).add(name)

    def wait_until_served(self, name: str) -> None:
        """Return once it is served; raises `CliError` if that takes too long."""
        deadline = time.monotonic() + SERVED_WITHIN_S
        while name not in self.served():
            if time.monotonic() > deadline:
                raise CliError(ExitCode.FAILED, f"{name} is kept, and not served yet", "see what `stemma up` tells")
            time.sleep(POLL_S)
