"""A model is filled by the names of its fields."""

from dataclasses import dataclass

import pytest
from pydantic import ValidationError
from stemma_contracts.base import Contract, filled_from


@dataclass(frozen=True)
class Kept:
    title: str
    owner: str


class Sent(Contract):
    title: str
    version: int = 1


class Shown(Contract):
    title: str
    version: int


@pytest.mark.parametrize(
    ("sources", "own", "shown"),
    [
        ((Kept("kept", "anna"), Sent(title="sent", version=2)), {}, ("sent", 2)),
        ((Sent(title="sent"), Kept("kept", "anna")), {}, ("kept", 1)),
        ((Kept("kept", "anna"), Sent(title="sent", version=2)), {"title": "own"}, ("own", 2)),
    ],
)
def test_a_later_source_comes_before_an_earlier_one_and_own_fields_before_all(
    sources: tuple[object, ...], own: dict[str, object], shown: tuple[str, int]
) -> None:
    filled = filled_from(Shown, *sources, **own)
    assert (filled.title, filled.version) == shown


def test_what_no_source_has_is_refused() -> None:
    with pytest.raises(ValidationError, match="version"):
        filled_from(Shown, Kept("kept", "anna"))
