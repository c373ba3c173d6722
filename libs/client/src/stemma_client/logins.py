"""Who a person is at a server, in a file that only that person can read, and what a refused login tells."""

import hmac
import json
import os
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from nats.errors import AuthorizationError
from stemma_contracts.connections import ASKS, READS, InvalidServers, check_servers
from stemma_contracts.tokens import InvalidToken, check_person, check_token

from .errors import InvalidLoginError

LOGIN_VARIABLE = "STEMMA_LOGIN"


@dataclass(frozen=True)
class Login:
    """A person at a server.

    One key reads, the other asks: what is read is carried on by the server wherever its reader likes, but never from
    where people ask. ``role`` is what the person was when the keys were made. ``installation`` names a folder of
    ``stemma up``, whose address may change.
    """

    url: str
    tenant: str
    person: str
    role: str
    reading_seed: str = field(repr=False)
    asking_seed: str = field(repr=False)
    installation: str = ""

    def shown(self, *, asks: bool) -> dict[str, Any]:
        """What a connection that reads, or one that ``asks``, shows to be let in."""
        return credentials(self.asking_seed if asks else self.reading_seed)


@dataclass(frozen=True)
class IdentityLogin:
    """A person who is known by a token of an OpenID provider, for as long as the token is good."""

    tenant: str
    person: str
    role: str
    token: str = field(repr=False)

    def shown(self, *, asks: bool) -> dict[str, Any]:
        """What a connection that reads, or one that ``asks``, shows to be let in."""
        return {"user": ASKS if asks else READS, "password": self.token, "name": "stemma-client"}


def login_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the login of this person lies: ``STEMMA_LOGIN``, else in the folder of the settings of this person."""
    if given := environ.get(LOGIN_VARIABLE):
        return Path(given)
    settings = environ.get("XDG_CONFIG_HOME")
    return (Path(settings) if settings else Path.home() / ".config") / "stemma" / "login.json"


def read_login(path: Path) -> Login:
    """The login in a file; raises `InvalidLoginError`, which names the file and quotes nothing of it."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        login = Login(**{each.name: str(value[each.name]) for each in fields(Login)})
        check_servers(login.url)
        check_token(login.tenant, "tenant")
        check_person(login.person)
        public_key(login.reading_seed), public_key(login.asking_seed)
    except OSError as error:
        raise InvalidLoginError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, InvalidServers, InvalidToken):
        raise InvalidLoginError(f"{path} is no login of Stemma: ask for a new one") from None
    return login


def write_login(path: Path, login: Login) -> None:
    """Keep a login where its owner alone can read it; raises `InvalidLoginError`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(login), file, indent=1)
        temporary.replace(path)
    except OSError as error:
        raise InvalidLoginError(f"{path} cannot be written: {error.strerror}") from None


def new_seed() -> str:
    """A new secret key."""
    return seed_of(secrets.token_bytes(32))


def seed_of(raw: bytes) -> str:
    """The secret key of 32 bytes."""
    import nkeys

    return bytes(nkeys.encode_seed(raw, nkeys.PREFIX_BYTE_USER)).decode()


def credentials(seed: str) -> dict[str, Any]:
    """What a connection of nats-py shows to be let in: the public key, also as its name, and what proves the secret."""
    key = public_key(seed)
    return {"token": key, "name": key, "signature_cb": partial(_signature, seed)}


def _signature(seed: str, nonce: str) -> bytes:
    import nkeys

    return urlsafe_b64encode(nkeys.from_seed(bytearray(seed.encode())).sign(nonce.encode()))


def public_key(seed: str) -> str:
    """The public key of a secret one; raises `ValueError`."""
    import nkeys

    try:
        return bytes(nkeys.from_seed(bytearray(seed.encode())).public_key).decode()
    except nkeys.NkeysError:
        raise ValueError("no seed of a user") from None


# It is drawn, never chosen: 100 random bits, which nobody finds by guessing from the public keys that the server knows.
# Written in Crockford's base32, where no two letters are mistaken for each other.

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_MISREAD = str.maketrans({"o": "0", "i": "1", "l": "1", "-": None, " ": None})
_LENGTH, _GROUP = 20, 5
_PASSWORD = re.compile(f"[{_ALPHABET}]{{{_LENGTH}}}")


def new_password() -> str:
    """A password that nobody had before."""
    drawn = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    return "-".join(drawn[start : start + _GROUP] for start in range(0, _LENGTH, _GROUP))


def login_of(url: str, tenant: str, person: str, password: str, *, role: str = "", installation: str = "") -> Login:
    """The login of whoever has a password at a server, which alone can say whether it is the right one.

    The same password of another person, or in another tenant, makes other keys. Who only types it in knows no
    ``role``. Raises `InvalidToken` for what is no tenant or no person, and `InvalidLoginError` for what is no password.
    """
    check_token(tenant, "tenant"), check_person(person)
    plain = password.lower().translate(_MISREAD)
    if not _PASSWORD.fullmatch(plain):
        raise InvalidLoginError("this is no password of Stemma: `stemma user add` and `stemma user rotate` print one")
    reading, asking = (seed_of(_drawn_from(plain, tenant, person, use)) for use in ("reading", "asking"))
    return Login(url, tenant, person, role, reading, asking, installation)


def _drawn_from(password: str, *names: str) -> bytes:
    return hmac.digest(password.encode(), "/".join(("stemma login", *names)).encode(), "sha256")


UNANSWERED_AFTER_S = 1.5
MOST_REFUSALS = 5


class Admittance:
    """Whether one connection is let in, attempt after attempt.

    The server says the same to all whom it refuses. But who is known to the admission or not is answered within
    milliseconds, and where no admission runs, the server refuses when it has waited for 2 s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.unanswered = False
        self._clock = clock
        self._was_in = False
        self._denied = 0
        self.begin()

    @property
    def is_over(self) -> bool:
        """Whether who was in is answered with no again and again, as somebody who went is."""
        return self._was_in and self._denied >= MOST_REFUSALS

    def begin(self) -> None:
        """An attempt begins."""
        self._since = self._clock()

    def admitted(self) -> None:
        """The connection is in."""
        self.unanswered, self._was_in, self._denied = False, True, 0

    def failed(self, error: Exception) -> None:
        """An attempt ended with an error, and another one begins."""
        if is_refusal(error):
            self.unanswered = self._clock() - self._since >= UNANSWERED_AFTER_S
            self._denied += not self.unanswered
        self.begin()


def is_refusal(error: Exception | None) -> bool:
    """Whether the server refused the credentials."""
    return isinstance(error, AuthorizationError) or "authorization violation" in str(error).lower()
