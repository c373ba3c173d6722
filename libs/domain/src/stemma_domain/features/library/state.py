"""What a section is to the library of its tenant."""

from dataclasses import dataclass
from datetime import datetime

from stemma_contracts.v1.library import EntryUse


@dataclass(frozen=True)
class Approval:
    """Who approved which text, and when; ``verified`` if the server knew that person."""

    digest: str
    by: str = ""
    verified: bool = False
    at: datetime | None = None


@dataclass(frozen=True)
class Entry:
    """The approval that a person gave last, what people said of the text, and which documents took it.

    ``number`` is of the event that said until when it holds.
    """

    approval: Approval | None = None
    owner: str = ""
    expires: datetime | None = None
    withheld: bool = False
    expired: bool = False
    number: int = 0
    uses: tuple[EntryUse, ...] = ()


NO_ENTRY = Entry()
