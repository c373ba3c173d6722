"""The data folder of one installation: its lock, its passwords, its logs, and how others find it."""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from pydantic import TypeAdapter
from stemma_client.settings import STATE_FILE

CREDENTIALS_FILE = "credentials.json"
PASSWORDS = TypeAdapter(dict[str, str])


class AlreadyRunningError(RuntimeError):
    """Another process runs on the same data folder; ``pid`` is its id, 0 if it has not told it yet."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.pid = pid
        super().__init__(f"Stemma already runs on {folder} (pid {pid or 'unknown'})")


class UnusableFolderError(RuntimeError):
    """Nothing can be kept in a folder; the message has its name as it was given, and what stands in the way."""

    def __init__(self, folder: Path, error: OSError) -> None:
        reason = "a file is in the way" if isinstance(error, FileExistsError) else error.strerror
        at_fault = Path(error.filename)
        part = "" if at_fault == folder.absolute() else f" ({at_fault.name})"
        super().__init__(f"cannot keep data in {folder}: {reason}{part}")


class DamagedPasswordsError(RuntimeError):
    """The file of the passwords cannot be read; the message says what to do."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"{file} is damaged: remove it, and new passwords are made")


class DataFolder:
    def __init__(self, root: Path) -> None:
        self._given = root
        self.root = root.absolute()
        self.state_file = self.root / STATE_FILE

    def create(self) -> None:
        """Make the folder and those in it. Raises `UnusableFolderError`."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for part in ("logs", "run", "nats"):
                (self.root / part).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise UnusableFolderError(self._given, error) from error

    def log(self, name: str) -> Path:
        return self.root / "logs" / f"{name}.log"

    def ready_file(self, name: str) -> Path:
        return self.root / "run" / f"{name}.ready"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; the system releases it however this process ends.

        Raises `AlreadyRunningError` and `UnusableFolderError`.
        """
        with self._lock_file() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunningError(self.root, _pid_in(self.root / "lock")) from None
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def _lock_file(self) -> TextIO:
        try:
            return (self.root / "lock").open("a+")
        except OSError as error:
            raise UnusableFolderError(self._given, error) from error

    def passwords(self) -> dict[str, str]:
        """The passwords that are kept, by user. Raises `DamagedPasswordsError`."""
        path = self.root / CREDENTIALS_FILE
        if not path.exists():
            return {}
        try:
            return PASSWORDS.validate_json(path.read_bytes())
        except ValueError:
            raise DamagedPasswordsError(path) from None

    def make_passwords(self, users: Iterable[str]) -> dict[str, str]:
        """A password for each user: the one that is kept, or a new random one, which is kept from now on.

        Raises `DamagedPasswordsError`.
        """
        kept = self.passwords()
        complete = kept | {user: kept.get(user) or secrets.token_urlsafe(24) for user in users}
        if complete != kept:
            write_private(self.root / CREDENTIALS_FILE, complete)
        return complete

    def write_state(self, state: Mapping[str, Any]) -> None:
        write_private(self.state_file, state)

    def clear_state(self) -> None:
        self.state_file.unlink(missing_ok=True)


def installation_of(password: str) -> str:
    """A name of the installation with this password of its own; it stays when the address changes."""
    return hashlib.sha256(f"installation {password}".encode()).hexdigest()[:16]


def _pid_in(path: Path) -> int:
    text = path.read_text().strip()
    return int(text) if text.isdecimal() else 0


def write_private(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON that only the owner can read, all of it or nothing."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(value, file, indent=2)
    temporary.replace(path)
