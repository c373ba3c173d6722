"""Names that may become a part of a subject, a record key or a path.

Everything from outside is checked here before it is put into a NATS subject: the server accepts a
literal ``*`` in a published subject and ``../../x`` as an object name.
"""

import re
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

TOKEN_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
_TOKEN = re.compile(TOKEN_PATTERN)
PERSON_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$"
_PERSON = re.compile(PERSON_PATTERN)
NOT_PEOPLE = frozenset({"policy", "unknown"})
"""Who decides where no person does, as a history tells it."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\:]")
MAX_NAME_BYTES = 255
MAX_SEGMENTS = 8


class InvalidToken(ValueError):
    """A name that must not become part of a subject: it does not match ``[A-Za-z0-9_-]{1,64}``."""


def check_token(value: str, what: str = "id") -> str:
    """Return ``value`` if it is one subject token, else raise `InvalidToken` naming ``what``."""
    if not _TOKEN.fullmatch(value):
        raise InvalidToken(f"{what} must match [A-Za-z0-9_-]{{1,64}}, got {value[:80]!r}")
    return value


def is_token(value: str) -> bool:
    """Whether ``value`` is one subject token."""
    return _TOKEN.fullmatch(value) is not None


def check_person(value: str) -> str:
    """Return ``value`` if a person may be called so, else raise `InvalidToken`."""
    if not _PERSON.fullmatch(value) or value in NOT_PEOPLE:
        words = (
            "the name of a person must be 1 to 32 of a-z, 0-9 and -, with no - at its ends, and not policy or unknown"
        )
        raise InvalidToken(f"{words}; got {value[:80]!r}")
    return value


@lru_cache(maxsize=1024)
def check_file_name(value: str) -> str:
    """Return ``value`` if it is a relative POSIX path that stays inside its folder.

    Raises `ValueError` for an empty name, an absolute path, ``.`` or ``..`` segments, hidden files,
    back slashes, colons, control characters, more than 8 segments or 255 bytes. Names that passed are kept: the same
    few stand in every reference of every job and event of a document.
    """
    parts = value.split("/")
    if "" in parts or "." in parts:
        raise ValueError(f"file name must be a plain relative path, got {value[:80]!r}")
    if _CONTROL.search(value) or any(part.startswith(".") for part in parts):
        raise ValueError(f"file name must not have hidden, '..' or control parts, got {value[:80]!r}")
    if len(value.encode()) > MAX_NAME_BYTES or len(parts) > MAX_SEGMENTS:
        raise ValueError(f"file name is too long or too deep: {value[:80]!r}")
    return value


Token = Annotated[str, StringConstraints(pattern=TOKEN_PATTERN)]
FileName = Annotated[str, AfterValidator(check_file_name)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$")]
"""A language as BCP 47 writes it, such as ``de`` or ``pt-BR``."""
JobId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,250}$")]
