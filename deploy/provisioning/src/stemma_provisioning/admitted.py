"""Who is admitted to a tenant: its people, each with a role, and its programs. They come and go with everybody at work.

Of a person public keys are kept, of a program a digest of its password, which is long and random; in a file for each
tenant that `stemma_provisioning.admission` reads.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from stemma_contracts.tokens import check_person, check_token

from .roles import Role


class AdmittedError(ValueError):
    """What cannot be done with those who are admitted; the message names whom it is about."""


@dataclass(frozen=True)
class Keys:
    """The public keys of a person: one to read with, one to ask with."""

    reading: str
    asking: str


@dataclass(frozen=True)
class Person:
    """Somebody with a role in a tenant; ``identity`` is what an OpenID provider calls this person."""

    role: Role
    keys: Keys
    identity: str = ""


@dataclass(frozen=True)
class Everybody:
    """Who is admitted to a tenant: people by name; by the user of a program the digest of its password, and its key."""

    people: dict[str, Person] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)


class Admitted:
    """Who is admitted to a tenant, in a folder; each change is made whole or not at all, by one process at a time."""

    def __init__(self, folder: Path, tenant: str) -> None:
        self._folder = folder
        self._file = folder / f"{check_token(tenant, 'tenant')}.json"

    def people(self) -> dict[str, Person]:
        """Everybody, by name; raises `AdmittedError` for a file that cannot be read."""
        return self._everybody().people

    def add(self, name: str, role: Role, keys: Keys, identity: str = "") -> None:
        """Admit somebody new; raises `InvalidToken` for what is no name, and `AdmittedError` for what is taken."""
        check_person(name)
        with self._changing() as everybody:
            if name in everybody.people:
                raise AdmittedError(f"{name} is there already, as {everybody.people[name].role}")
            for other, person in everybody.people.items():
                if identity and person.identity == identity:
                    raise AdmittedError(f"{identity} is {other} already")
            everybody.people[name] = Person(role, keys, identity)

    def remove(self, name: str) -> None:
        """Admit somebody no more; raises `AdmittedError`."""
        with self._changing() as everybody:
            del everybody.people[_known(everybody, name)]

    def rotate(self, name: str, keys: Keys) -> Person:
        """Admit somebody by other keys from now on; raises `AdmittedError`."""
        with self._changing() as everybody:
            person = everybody.people[name] = replace(everybody.people[_known(everybody, name)], keys=keys)
            return person

    def admit_program(self, user: str, password: str) -> None:
        with self._changing() as everybody:
            everybody.programs[user] = digest_of(password)

    def admit_program_by_key(self, user: str, key: str) -> None:
        with self._changing() as everybody:
            everybody.keys[user] = key

    def _everybody(self) -> Everybody:
        return everybody_in(self._file) if self._file.exists() else Everybody()

    @contextmanager
    def _changing(self) -> Iterator[Everybody]:
        if not self._folder.exists():
            self._folder.mkdir(parents=True)
            self._folder.chmod(0o755)
        with (self._folder / f".{self._file.stem}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            everybody = self._everybody()
            yield everybody
            write_everybody(self._file, everybody)


def digest_of(password: str) -> str:
    return sha256(password.encode()).hexdigest()


def everybody_in(file: Path) -> Everybody:
    """Who is admitted by a file; raises `AdmittedError`."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        people = {check_person(name): _person(**value) for name, value in kept["people"].items()}
        return Everybody(people, _by_user(kept["programs"]), _by_user(kept.get("keys", {})))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AdmittedError(f"{file} is damaged: {error}") from None


def write_everybody(file: Path, everybody: Everybody) -> None:
    """Keep in a file who is admitted. It holds no secret: who reads it may be another user of the machine."""
    people = {name: _kept(person) for name, person in everybody.people.items()}
    temporary = file.with_name(f".{file.name}.new")
    with temporary.open("w", encoding="utf-8") as new:
        temporary.chmod(0o644)
        json.dump({"people": people, "programs": everybody.programs, "keys": everybody.keys}, new, indent=0)
        new.flush()
        os.fsync(new.fileno())
    temporary.replace(file)


def _by_user(kept: Mapping[str, object]) -> dict[str, str]:
    return {check_token(user, "user"): str(shown) for user, shown in kept.items()}


def _known(everybody: Everybody, name: str) -> str:
    if name not in everybody.people:
        there = ", ".join(sorted(everybody.people)[:20]) or "none"
        raise AdmittedError(f"nobody is called {name!r} here; there are {there}")
    return name


def _person(role: str, reading: str, asking: str, identity: str = "") -> Person:
    return Person(Role(role), Keys(reading, asking), identity)


def _kept(person: Person) -> dict[str, str]:
    return {"role": person.role, **asdict(person.keys), **({"identity": person.identity} if person.identity else {})}
