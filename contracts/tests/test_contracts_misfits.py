"""What does not fit a contract is told by field, without the value."""

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ValidationError
from stemma_contracts.misfits import JsonValues, Misfit, misfits


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


_TEXTS = st.text('a,[{"\\\\é', max_size=6)
_VALUES = st.recursive(_TEXTS | st.integers(0, 9), lambda of: st.lists(of) | st.dictionaries(_TEXTS, of), max_leaves=9)


def _commas_and_brackets(value: object) -> int:
    held = [*value.values()] if isinstance(value, dict) else value
    return 1 + max(0, len(held) - 1) + sum(map(_commas_and_brackets, held)) if isinstance(held, list) else 0


@pytest.mark.req("S6")
@given(value=_VALUES, length=st.integers(1, 5))
def test_values_of_json_are_counted_however_it_is_cut(value: object, length: int) -> None:
    values, data = JsonValues(), json.dumps(value, ensure_ascii=False).encode()
    for start in range(0, len(data), length):
        values.add(data[start : start + length])
    assert values.number == _commas_and_brackets(value)


@pytest.mark.req("S6")
def test_values_of_json_in_another_encoding_are_counted() -> None:
    values = JsonValues()
    values.add(json.dumps(["\u2200", 1, 2, 3]).encode("utf-16"))
    assert values.number >= 4
