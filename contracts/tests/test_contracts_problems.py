"""A problem has a code, and a sentence for it in every language."""

import json
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.v1.answers import Problem

pytestmark = pytest.mark.req("R8", "H4")


class Colour(StrEnum):
    RED = "red"


class Asked(BaseModel):
    title: Annotated[str, Field(min_length=3, max_length=5, pattern="^a")] = "abc"
    name: Annotated[str, Field(min_length=1)] = "a"
    number: Annotated[int, Field(ge=1, le=3)] = 1
    due: AwareDatetime | None = None
    sure: bool = True
    how: Literal["one", "two"] = "one"
    colour: Colour = Colour.RED
    needed: int


def test_the_message_is_the_english_sentence_of_the_code() -> None:
    problem = Problem.of("version_old", "version", version=1, current_version=2)
    assert problem.message == "version 1 is not current; version 2 is"
    assert str(problem) == f"version: {problem.message}"
    assert Problem.model_validate_json(problem.model_dump_json()) == problem


@pytest.mark.parametrize("params", [{}, {"version": 1}, {"version": 1, "current_version": 2, "other": 3}])
def test_a_problem_is_not_made_without_the_parameters_of_its_code(params: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="version_old has the parameters"):
        Problem.of("version_old", "version", **params)


def test_a_text_of_a_caller_is_cut_and_can_be_encoded_and_its_braces_mean_nothing() -> None:
    problem = Problem.of("kind_unknown", "kind", kind="{known}\ud800" + "x" * 2000, known="proposal")
    assert problem.model_dump_json()
    assert len(problem.message) < 1100
    assert "{known}?xxx" in problem.message
    assert "x…'" in problem.message


@pytest.mark.parametrize(
    ("value", "code", "params"),
    [
        ({"title": ""}, "text_too_short", {"min_length": 3}),
        ({"name": ""}, "text_empty", {}),
        ({"title": "abcdef"}, "text_too_long", {"max_length": 5}),
        ({"title": "bcd"}, "text_unmatched", {"pattern": "^a"}),
        ({"number": 0}, "number_too_small", {"minimum": 1}),
        ({"number": 4}, "number_too_large", {"maximum": 3}),
        ({"number": "x"}, "number_not_whole", {}),
        ({"due": "x"}, "time_invalid", {"reason": "input is too short"}),
        ({"sure": "x"}, "boolean_invalid", {}),
        ({"how": "x"}, "choice_unknown", {"choices": "'one' or 'two'"}),
        ({"colour": "x"}, "choice_unknown", {"choices": "'red'"}),
        ({"needed": []}, "value_invalid", {"reason": "Input should be a valid integer"}),
    ],
)
def test_what_pydantic_finds_has_a_code_and_the_same_words(value: Any, code: str, params: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({"needed": 1, **value})
    (found,) = misfits(refused.value)
    assert (found.code, found.params) == (code, params)
    assert Problem.of(found.code, **found.params).message == found.message


def test_a_field_that_is_missing_has_a_code() -> None:
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({})
    assert [(one.field, one.code) for one in misfits(refused.value)] == [("needed", "value_missing")]


def test_the_schema_of_a_problem_lists_all_codes_with_their_meaning() -> None:
    schema = json.dumps(Problem.model_json_schema()["properties"]["code"])
    assert "`section_unknown`: the document has no section '{section_id}'" in schema
