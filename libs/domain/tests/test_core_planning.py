"""Which sections a document requires, and dependency maps that cannot be followed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.blueprints.planning import (
    Blueprint,
    BlueprintSection,
    InvalidPlan,
    check_dependencies,
    plan_sections,
    unknown_sections,
)


def blueprint(*names: str, optional: tuple[str, ...] = ()) -> Blueprint:
    sections = tuple(
        BlueprintSection(id=n, title=n.title(), kind=n, purpose="for a test", required=n not in optional) for n in names
    )
    return Blueprint(kind="proposal", title="Proposal", sections=sections)


@pytest.mark.req("P4")
@pytest.mark.parametrize(
    ("dependencies", "message"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "cycle: "),
        ({"a": ["a"]}, "'a' depends on itself"),
        ({"a": ["x"]}, "names the section 'x'"),
        ({"x": ["a"]}, "names the section 'x'"),
        ({"a": ["b", "b"]}, "names 'b' twice"),
    ],
)
def test_refuses_a_map_that_cannot_be_followed(dependencies: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InvalidPlan, match=message):
        check_dependencies(["a", "b", "c"], dependencies)


@pytest.mark.req("P4")
def test_names_the_path_of_a_cycle() -> None:
    with pytest.raises(InvalidPlan) as refusal:
        check_dependencies(["a", "b", "c", "d"], {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})
    path = str(refusal.value).split(": ")[1].split(" -> ")
    assert path[0] == path[-1]
    assert set(path) == {"a", "b", "c"}


@pytest.mark.req("P4")
def test_refuses_a_section_that_stands_there_twice() -> None:
    with pytest.raises(InvalidPlan, match="'a' stands there twice"):
        check_dependencies(["a", "a"], {})


@pytest.mark.req("P4")
@given(st.permutations([f"s{i}" for i in range(6)]), st.data())
def test_accepts_every_map_without_a_cycle(order: list[str], data: st.DataObject) -> None:
    subsets = {
        name: data.draw(st.lists(st.sampled_from(order[:i]), unique=True)) if i else [] for i, name in enumerate(order)
    }
    check_dependencies(order, subsets)


@pytest.mark.req("P5")
def test_a_request_may_name_the_sections_and_gets_what_they_rest_on() -> None:
    plans = plan_sections(blueprint("a", "b", "c"), {"b": ["a"]}, wanted=["b"])
    assert [plan.section_id for plan in plans] == ["a", "b"]


@pytest.mark.req("P5")
def test_an_optional_section_is_written_only_when_it_is_asked_for() -> None:
    data = blueprint("a", "b", optional=("b",))
    assert [plan.section_id for plan in plan_sections(data, {})] == ["a"]
    assert [plan.section_id for plan in plan_sections(data, {}, wanted=["b"])] == ["b"]


def test_an_unknown_section_in_a_request_is_named_with_its_field() -> None:
    (problem,) = unknown_sections(blueprint("a"), ["a", "z"])
    assert problem.field == "sections.1"


@pytest.mark.req("P7")
def test_the_policy_of_a_request_overrides_that_of_the_blueprint() -> None:
    (plan,) = plan_sections(blueprint("a"), {}, review=ReviewPolicy(mode=ReviewMode.NONE))
    assert plan.review.mode is ReviewMode.NONE
    (plain,) = plan_sections(blueprint("a"), {})
    assert plain.review.mode is ReviewMode.HUMAN


@pytest.mark.req("P9")
def test_edits_are_reviewed_unless_blueprint_or_section_says_otherwise() -> None:
    plan = blueprint("a", "b")
    own = plan.model_copy(
        update={"sections": (plan.sections[0].model_copy(update={"review_edits": "none"}), *plan.sections[1:])}
    )
    assert [s.review_edits for s in plan_sections(plan, {})] == ["human", "human"]
    assert [s.review_edits for s in plan_sections(own, {})] == ["none", "human"]
    every = plan.model_copy(update={"review_edits": "none"})
    assert [s.review_edits for s in plan_sections(every, {})] == ["none", "none"]
