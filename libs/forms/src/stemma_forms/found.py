"""What finders say of a place, and how the ids of fields come about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Generic, TypeVar

from .field import Field

Spot = TypeVar("Spot")

# Longer questions are cut: what is asked stands at the beginning, and a field is shown in a line.
LONGEST_QUESTION = 1000


@dataclass(frozen=True)
class Found(Generic[Spot]):
    """A field, and where and how its answer is written."""

    field: Field
    spot: Spot


def with_ids(found: Iterable[Found[Spot]]) -> Iterator[Found[Spot]]:
    """Fields with ids: of what they ask, of their group, and of their number among equal ones."""
    seen: Counter[tuple[str, str]] = Counter()
    for each in found:
        asked = (each.field.group, each.field.question)
        seen[asked] += 1
        digest = sha256("\x1f".join((*asked, str(seen[asked]))).encode(errors="surrogatepass")).hexdigest()
        yield replace(each, field=replace(each.field, id=f"f-{digest[:10]}"))


def line(text: str) -> str:
    """A text in one line, cut where it is longer than a question is shown."""
    joined = " ".join(text.split())
    return joined if len(joined) <= LONGEST_QUESTION else f"{joined[: LONGEST_QUESTION - 1]}…"
