"""Admitting people: their keys go to where the server asks, their logins to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stemma_client.logins import Login, new_seed, public_key, write_login
from stemma_client.settings import DEFAULT_URL
from stemma_contracts.tokens import check_person
from stemma_provisioning.admitted import Admitted, AdmittedError, Keys
from stemma_provisioning.roles import Role
from stemma_provisioning.server import ADMITTED

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import say, say_json, say_table

from .folder import DataFolder


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
        """Where they connect to."""
        return self.given_url or str(self._state.get("url", DEFAULT_URL))

    @property
    def installation(self) -> str:
        """The name of the installation of ``stemma up``."""
        return str(self._state.get("installation", ""))

    @property
    def _state(self) -> dict[str, Any]:
        if self.folder is None:
            with suppress(OSError, ValueError):
                return dict(json.loads(DataFolder(self.data).state_file.read_text(encoding="utf-8")))
        return {}


def add(place: Place, name: str, role: str, output: Path | None, *, as_json: bool) -> None:
    """Admit a person, and write the login to be handed over."""
    if role not in list(Role):
        raise CliError(ExitCode.USAGE, f"there is no role {role!r}", f"there are {', '.join(Role)}")
    file = _file(name, output)
    if file.exists():
        raise CliError(ExitCode.USAGE, f"{file} is there already", "name another file by --output")
    login = _login(place, name, role)
    with _in_words():
        place.admitted.add(name, Role(role), _keys(login))
    write_login(file, login)
    _tell(login, file, f"{name} is admitted as {role}", as_json)


def rotate(place: Place, name: str, output: Path | None, *, as_json: bool) -> None:
    """Other keys for a person; the login of before is of no use."""
    file = _file(name, output)
    login = _login(place, name, Role.READER)
    with _in_words():
        role = place.admitted.rotate(name, _keys(login)).role
    write_login(file, replace(login, role=role))
    _tell(replace(login, role=role), file, f"{name} has new keys", as_json)


def remove(place: Place, name: str, *, as_json: bool) -> None:
    """Admit a person no more."""
    with _in_words():
        place.admitted.remove(name)
    if as_json:
        say_json({"removed": name})
    else:
        say(f"{name} is not admitted any more")


def list_all(place: Place, *, as_json: bool) -> None:
    """Everybody, by name."""
    with _in_words():
        people = place.admitted.people()
    rows = [(name, str(people[name].role)) for name in sorted(people)]
    if as_json:
        say_json([{"person": name, "role": role} for name, role in rows])
    else:
        say_table(("NAME", "ROLE"), rows)


def _file(name: str, output: Path | None) -> Path:
    return output or Path(f"{check_person(name)}.login")


def _login(place: Place, name: str, role: str) -> Login:
    return Login(place.url, place.tenant, name, role, new_seed(), new_seed(), place.installation)


def _keys(login: Login) -> Keys:
    return Keys(public_key(login.reading_seed), public_key(login.asking_seed))


def _tell(login: Login, file: Path, words: str, as_json: bool) -> None:
    if as_json:
        say_json({"person": login.person, "role": login.role, "tenant": login.tenant, "login": str(file)})
    else:
        say(f"{words}; hand over {file}, and there: stemma login {file.name}")


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except AdmittedError as error:
        raise CliError(ExitCode.USAGE, str(error), "see `stemma user list`") from None
