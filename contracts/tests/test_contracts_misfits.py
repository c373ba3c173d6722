"""What does not fit a contract is told by field, without the value."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel, ValidationError
from stemma_contracts.misfits import Misfit, misfits


def _even(number: int) -> int:
    if number % 2:
        raise ValueError("it must be even")
    return number


class _Inner(BaseModel):
    numbers: list[Annotated[int, AfterValidator(_even)]] = []
    password: str = ""


class _Outer(BaseModel):
    inner: _Inner


def _misfits(data: object) -> tuple[Misfit, ...]:
    with pytest.raises(ValidationError) as refused:
        _Outer.model_validate(data)
    return misfits(refused.value)


@pytest.mark.req("R8")
def test_names_each_field_by_its_path_and_our_own_words_without_what_pydantic_puts_before_them() -> None:
    found = _misfits({"inner": {"numbers": [2, 3], "password": 8_812}})
    assert [str(one) for one in found] == [
        "inner.numbers.1: it must be even",
        "inner.password: Input should be a valid string",
    ]
    assert [one.kind for one in found] == ["value_error", "string_type"]


@pytest.mark.req("R8")
def test_tells_of_the_whole_without_a_field() -> None:
    (found,) = _misfits("not an object")
    assert (found.field, str(found)) == ("", found.message)
    assert "not an object" not in found.message
