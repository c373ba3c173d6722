"""Until when somebody is asked to see to a section."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

LAST_YEAR = 2199


def check_due(value: AwareDatetime) -> AwareDatetime:
    """Return ``value`` if every time zone has a date for it."""
    if value.year > LAST_YEAR:
        raise ValueError(f"must not be later than {LAST_YEAR}")
    return value


Due = Annotated[AwareDatetime, AfterValidator(check_due)]
"""A time with its zone, as in RFC 3339: 2026-12-01T17:00:00+01:00."""
