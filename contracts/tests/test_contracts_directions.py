"""Old and new read each other: of requests a newer reader what an older writer wrote, of all else also the reverse."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from contract_tools.compatibility import alternatives, breaks, report
from contract_tools.schemas import schema_of
from pydantic import ConfigDict, Field, RootModel, create_model
from stemma_contracts import Contract, Family, registry

ENTRIES = {
    Family.REQUEST: registry.entry_for("stemma.create.document.v1"),
    Family.ANSWER: registry.entry_for("stemma.request.accepted.v1"),
    Family.EVENT: registry.entry_for("stemma.section.drafted.v1"),
    Family.JOB: registry.entry_for("stemma.generate.section.v1"),
    Family.OUTCOME: registry.entry_for("stemma.section.generated.v1"),
}
READERS = {
    Family.REQUEST: "orchestrator",
    Family.ANSWER: "client",
    Family.EVENT: "orchestrator, notifier, client",
    Family.JOB: "generation-graph",
    Family.OUTCOME: "orchestrator",
}
every_family = pytest.mark.parametrize("family", Family)
READ_BY_OLDER = [family for family in Family if family is not Family.REQUEST]


OnlyA = Annotated[str, Field(pattern="^a$")]


class Colour(StrEnum):
    """Two values."""

    RED = "red"
    BLUE = "blue"


class Colours(StrEnum):
    """One value more."""

    RED = "red"
    BLUE = "blue"
    GREEN = "green"


class Policy(Contract):
    """A value with defaults."""

    mode: Colour = Colour.RED
    min_score: float = 0.8


class LowerPolicy(Policy):
    """The same with another default."""

    min_score: float = 0.1


class GrownPolicy(Policy):
    """The same with one field more."""

    note: str = "none"


class SignedPolicy(Policy):
    """The same with one field more that is always there."""

    signature: str


class StrictPolicy(Policy):
    """The same for those who know every field."""

    model_config = ConfigDict(extra="forbid")


class StrictGrownPolicy(StrictPolicy):
    """The same with one field more."""

    note: str = "none"


class OpenPolicy(Policy):
    """The same with whatever else its writer adds."""

    model_config = ConfigDict(extra="allow")


class Tree(Contract):
    """A value that has itself inside."""

    mark: Colour
    left: Tree | None = None


class TallTree(Contract):
    """The same with one more value, which is met at every depth."""

    mark: Colours
    left: TallTree | None = None


def contract(annotation: Any) -> type[Contract]:
    return create_model("Sent", __base__=Contract, x=annotation)


def changed(family: Family, old: Any, new: Any) -> list[str]:
    """What is told of the field ``x`` of a contract, behind the field, when ``old`` becomes ``new``."""
    before, after = (schema_of(replace(ENTRIES[family], cls=contract(x))) for x in (old, new))
    lines = report(ENTRIES[family], breaks(before, after, family))
    prefix, suffix = f"{ENTRIES[family].ce_type}: x", f"; read by {READERS[family]}"
    assert all(line.startswith(prefix) and line.endswith(suffix) for line in lines)
    return [line.removeprefix(prefix).removesuffix(suffix) for line in lines]


def optional(annotation: Any, default: Any) -> Any:
    return Annotated[annotation, Field(default=default)]


def text(**rules: Any) -> Any:
    return Annotated[str, Field(**rules)]


def number(**rules: Any) -> Any:
    return Annotated[int, Field(**rules)]


def some(annotation: Any, most: int) -> Any:
    return Annotated[annotation, Field(max_length=most)]


NEW_VALUE, OLD_VALUE = "may have the value 'green' now", "no longer takes the value 'green'"
# From the left to the right each is a widening, from the right to the left a narrowing; with what is told of them.
PAIRS: dict[str, tuple[Any, Any, str, str]] = {
    "null": (Policy, Policy | None, ": may be null now", ": no longer takes null"),
    "enum": (Colour, Colours, f": {NEW_VALUE}", f": {OLD_VALUE}"),
    "literal": (Literal["red"], Literal["red", "green"], f": {NEW_VALUE}", f": {OLD_VALUE}"),
    "any value": (Literal["a"], str, ": may have any value now", ": takes only some values now"),
    "length": (text(max_length=3), text(max_length=4), ": maxLength was raised to 4", ": maxLength was lowered to 3"),
    "no length": (text(max_length=3), str, ": maxLength 3 is gone", ": maxLength was lowered to 3"),
    "maximum": (number(le=3), number(le=4), ": maximum was raised to 4", ": maximum was lowered to 3"),
    "minimum": (number(ge=3), number(ge=2), ": minimum was lowered to 2", ": minimum was raised to 3"),
    "no minimum": (number(gt=0), int, ": minimum 1 is gone", ": minimum was raised to 1"),
    "items": (
        some(tuple[int, ...], 3),
        some(tuple[int, ...], 4),
        ": maxItems was raised to 4",
        ": maxItems was lowered to 3",
    ),
    "entries": (
        some(dict[str, int], 3),
        dict[str, int],
        ": maxProperties 3 is gone",
        ": maxProperties was lowered to 3",
    ),
    "pattern": (OnlyA, str, ": pattern '^a$' is gone", ": pattern is '^a$' now"),
    "number": (int, float, ": may be number now", ": no longer takes number"),
    "union": (int, int | str, ": may be string now", ": no longer takes string"),
    "map": (Policy, Policy | dict[str, int], ": may be map now", ": no longer takes map"),
    "object": (Policy, Policy | SignedPolicy, ".signature: is required now", ".signature: was removed"),
    "item": (tuple[Colour, ...], tuple[Colours, ...], f"[]: {NEW_VALUE}", f"[]: {OLD_VALUE}"),
    "entry": (dict[str, Colour], dict[str, Colours], f".*: {NEW_VALUE}", f".*: {OLD_VALUE}"),
    "key": (dict[OnlyA, int], dict[str, int], ".*: pattern '^a$' is gone", ".*: pattern is '^a$' now"),
    "presence": (Colour, optional(Colour, "red"), ": was always there and may be absent now", ": is required now"),
}
pairs = pytest.mark.parametrize(("narrow", "wide", "widened", "narrowed"), PAIRS.values(), ids=PAIRS)


@pytest.mark.req("E2")
@pairs
@pytest.mark.parametrize("family", READ_BY_OLDER)
def test_what_an_older_reader_cannot_read_is_a_break(
    family: Family, narrow: Any, wide: Any, widened: str, narrowed: str
) -> None:
    assert changed(family, narrow, wide) == [widened]


@pytest.mark.req("E2")
@pairs
def test_a_request_may_take_more_than_before(narrow: Any, wide: Any, widened: str, narrowed: str) -> None:
    assert changed(Family.REQUEST, narrow, wide) == []


@pytest.mark.req("E2")
@pairs
@every_family
def test_what_a_newer_reader_takes_no_more_is_a_break(
    family: Family, narrow: Any, wide: Any, widened: str, narrowed: str
) -> None:
    assert narrowed in changed(family, wide, narrow)


@pytest.mark.req("E2")
@every_family
def test_another_default_is_a_break_where_a_message_may_leave_the_field_out(family: Family) -> None:
    told = "the default is 0.1 now and was 0.8"
    assert changed(family, optional(float, 0.8), optional(float, 0.1)) == [f": {told}"]
    assert changed(family, optional(Policy, Policy()), optional(LowerPolicy, LowerPolicy())) == [f".min_score: {told}"]
    told = 'the default is ["green"] now and was ["red"]'
    assert changed(family, optional(tuple[str, ...], ("red",)), optional(tuple[str, ...], ("green",))) == [f": {told}"]
    told = 'the default is {"mode": "blue", "min_score": 0.8} now and was {"mode": "red", "min_score": 0.8}'
    blue = Policy(mode=Colour.BLUE)
    assert changed(family, optional(Policy, Policy()), optional(Policy, blue)) == [f": {told}"]


@pytest.mark.req("E2")
@every_family
def test_a_new_optional_field_breaks_nothing_however_deep_it_is(family: Family) -> None:
    for old, new in [
        (Policy, GrownPolicy),
        (Policy | None, GrownPolicy | None),
        (dict[str, tuple[Policy, ...]], dict[str, tuple[GrownPolicy, ...]]),
        (optional(Policy, Policy()), optional(GrownPolicy, GrownPolicy())),
        (optional(Policy | None, Policy()), optional(GrownPolicy | None, GrownPolicy())),
        (optional(tuple[Policy, ...], (Policy(),)), optional(tuple[GrownPolicy, ...], (GrownPolicy(),))),
    ]:
        assert changed(family, old, new) == []


@pytest.mark.req("E2")
@every_family
def test_a_contract_that_forbids_unknown_fields_breaks_older_writers(family: Family) -> None:
    assert changed(family, Policy, StrictPolicy) == [": takes no unknown fields now"]


@pytest.mark.req("E2")
@pytest.mark.parametrize("family", READ_BY_OLDER)
def test_a_variant_in_place_of_another_must_be_one_that_an_older_reader_reads(family: Family) -> None:
    told = [".signature: is required now"]
    assert changed(family, Policy | GrownPolicy, GrownPolicy | SignedPolicy) == told
    assert changed(Family.REQUEST, Policy | GrownPolicy, GrownPolicy | SignedPolicy) == []
    assert changed(family, OnlyA | int, OnlyA | int | text(pattern="^b$")) == [": pattern is '^b$' now"]


@pytest.mark.req("E2")
@every_family
def test_a_variant_that_an_older_reader_reads_as_one_it_knows_breaks_nothing(family: Family) -> None:
    assert changed(family, Policy, Policy | GrownPolicy) == []
    assert changed(family, Policy | SignedPolicy, GrownPolicy | SignedPolicy) == []
    assert changed(family, Any, Any | SignedPolicy) == []


@pytest.mark.req("E2")
@pytest.mark.parametrize("family", READ_BY_OLDER)
def test_an_older_reader_that_forbids_unknown_fields_reads_no_new_ones(family: Family) -> None:
    told = [".note: is new where no unknown fields were taken"]
    assert changed(family, StrictPolicy, StrictGrownPolicy) == told
    assert changed(family, StrictPolicy, GrownPolicy) == told
    assert changed(family, StrictPolicy, OpenPolicy) == [": may have unknown fields now"]
    assert changed(family, StrictPolicy, Policy) == []


@pytest.mark.req("E2")
def test_a_request_that_forbids_unknown_fields_may_take_new_ones() -> None:
    for new in (StrictGrownPolicy, GrownPolicy, OpenPolicy):
        assert changed(Family.REQUEST, StrictPolicy, new) == []


@pytest.mark.req("E2")
@every_family
def test_a_union_with_a_name_is_read_like_its_variants(family: Family) -> None:
    named, wider = RootModel[int | Colour] | None, RootModel[int | Colours] | None
    assert changed(family, named, int | Colour | None) == []
    assert changed(family, int | Colour | None, named) == []
    assert changed(family, wider, named) == [f": {OLD_VALUE}"]
    assert changed(family, named, wider) == ([] if family is Family.REQUEST else [f": {NEW_VALUE}"])


@pytest.mark.req("E2")
@every_family
def test_a_type_that_has_itself_inside_is_compared_to_its_end(family: Family) -> None:
    assert changed(family, Tree, Tree) == []
    assert changed(family, TallTree, Tree) == [f".left.mark: {OLD_VALUE}", f".mark: {OLD_VALUE}"]


def test_a_union_that_is_a_variant_of_itself_has_its_other_variants() -> None:
    loop = {"anyOf": [{"$ref": "#/$defs/loop"}, {"type": "string"}]}
    assert alternatives({"$ref": "#/$defs/loop"}, {"loop": loop}) == [{"type": "string"}]


@pytest.mark.req("E2")
@every_family
def test_what_is_said_in_another_way_breaks_nothing(family: Family) -> None:
    for one, other in [
        (float, int | float),
        (number(ge=1), number(gt=0)),
        (number(le=3), number(lt=4)),
        (number(ge=1, gt=1), number(ge=2)),
    ]:
        assert changed(family, one, other) == []
    assert changed(family, number(gt=0), number(ge=1)) == changed(family, number(lt=4), number(le=3)) == []
    assert changed(family, number(gt=0), number(gt=1)) == [": minimum was raised to 2"]
