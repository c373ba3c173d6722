"""A person's password: the keys of a login are made of it, so that a name and a password are as good as the file.

It is drawn, never chosen: 100 random bits, which nobody finds by guessing from the public keys that the server knows.
Written in Crockford's base32, where no two letters are mistaken for each other.
"""

from __future__ import annotations

import hmac
import re
import secrets

from stemma_contracts.tokens import check_person, check_token

from .errors import InvalidLoginError
from .logins import Login, seed_of

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
