"""Outlines that requests give: what comes from the blueprint, and what cannot be followed."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import domain_asking as asking
import pytest
from domain_inputs import begin, file, read, replaced, unread
from domain_story import CHAIN, Story, ref
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.tokens import is_token
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import LedgerSummary
from stemma_contracts.v1.outline import AskedChapters, OutlineSection, PlanWording, SectionTitles
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SectionPlan
from stemma_domain.blueprints.outlines import InvalidOutline, derived_id, plan_outline
from stemma_domain.blueprints.planning import (
    Blueprint,
    BlueprintSection,
    InvalidPlan,
    check_dependencies,
    plan_sections,
    unknown_sections,
)
from stemma_domain.dependencies import in_order, waiting_for
from stemma_domain.staleness import staleness
from stemma_domain.view import view_of
from stemma_testkit.counting import calls

DEPENDENCIES = {"solution": ["research"], "budget": ["solution"]}
BLUEPRINT = Blueprint(
    kind="proposal",
    title="Proposal",
    sections=tuple(
        BlueprintSection(
            id=name,
            title=name.title(),
            kind=f"{name}_kind",
            purpose=f"The {name}.",
            required_headings=(f"The {name}",),
            requires=("solution", "project_brief") if name == "budget" else (),
            collects=("amounts",) if name == "budget" else (),
        )
        for name in ("research", "solution", "budget")
    ),
)


def plan(*sections: Mapping[str, object], blueprint: Blueprint = BLUEPRINT) -> tuple[SectionPlan, ...]:
    outline = [OutlineSection.model_validate(section) for section in sections]
    return plan_outline(blueprint, DEPENDENCIES, outline, aliases={"haushalt": "budget"})


def problem_of(*sections: Mapping[str, object], blueprint: Blueprint = BLUEPRINT) -> Problem:
    with pytest.raises(InvalidOutline) as refused:
        plan(*sections, blueprint=blueprint)
    return refused.value.problems[0]


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("outline", "given"),
    [
        (
            [{"title": "Budget"}, {"title": "Our team"}, {"title": "Research"}],
            [{"section_id": "budget"}, {"section_id": "our_team"}, {"section_id": "research"}],
        ),
        (
            [{"section_id": "budget"}],
            [{"title": "Budget", "kind": "budget_kind", "required_headings": ("The budget",)}],
        ),
        ([{"title": "  HAUSHALT "}], [{"section_id": "budget"}]),
        ([{"title": "Our\n\n# team"}], [{"title": "Our # team"}]),
        (
            [{"title": "Our team", "purpose": "Who does it."}],
            [{"kind": "default", "graph": "section", "purpose": "Who does it.", "depends_on": ()}],
        ),
        (
            [{"section_id": "budget", "title": "Costs"}, {"title": "Our team", "depends_on": ["  cOSTS"]}],
            [{"section_id": "budget"}, {"depends_on": ("budget",)}],
        ),
        (
            [{"section_id": "budget"}, {"title": "Team"}, {"title": "End", "depends_on": ["Haushalt", "team"]}],
            [{}, {}, {"depends_on": ("budget", "team")}],
        ),
        (
            [
                {"section_id": "costs", "title": "A"},
                {"section_id": "b", "title": "Costs"},
                {"title": "C", "depends_on": ["costs"]},
            ],
            [{}, {}, {"depends_on": ("costs",)}],
        ),
        (
            [{"section_id": "research"}, {"section_id": "budget"}],
            [{}, {"depends_on": ("research",), "requires": ("project_brief",)}],
        ),
        (
            [{"title": "Team", "collects": ["people"]}, *({"title": title, "collects": ["amounts"]} for title in "PQ")],
            [{"collects": ("people",)}, {"section_id": "budget", "title": "P"}, {"section_id": "q", "kind": "default"}],
        ),
        (
            [{"title": "Price", "collects": ["amounts"]}, {"title": "Budget"}],
            [{"section_id": "price"}, {"section_id": "budget"}],
        ),
        (
            [{"title": title, "collects": ["amounts"] * 9} for title in ("Research", "Price")],
            [{"section_id": "research"}, {"section_id": "budget", "collects": ("amounts",)}],
        ),
        (
            [{"title": "Budget!"}, {"title": "Price", "collects": ["amounts"]}],
            [{"section_id": "budget"}, {"section_id": "price"}],
        ),
    ],
    ids=[
        "all sections and their order", "what it does not say comes from the blueprint",
        "a title in any language", "a title is one line", "a section that fits no other runs by the default",
        "titles of the outline", "titles of the blueprint", "an id goes before a title",
        "what a section that was left out rests on", "the section that collects the same, once",
        "a title goes before what is collected",
        "what a section of the blueprint's title collects is no place of another", "so does an id made of a title",
    ],
)  # fmt: skip
def test_an_outline_is_planned_by_its_blueprint(
    outline: list[Mapping[str, object]], given: list[dict[str, object]]
) -> None:
    plans = plan(*outline)
    assert [one.model_dump(include=set(wanted)) for one, wanted in zip(plans, given, strict=True)] == given


@pytest.mark.req("P19")
def test_what_an_outline_says_is_taken_with_the_policy_of_the_request() -> None:
    said = {"title": "What it costs", "purpose": "Rates by year.", "max_words": 500, "max_pages": 2}
    plans = plan({"section_id": "budget", "depends_on": ["team"], **said}, {"section_id": "team", "title": "Team"})
    assert plans[0].model_dump(include={*said, "depends_on"}) == {**said, "depends_on": ("team",)}
    policy = ReviewPolicy(mode=ReviewMode.NONE)
    assert plan_outline(BLUEPRINT, {}, [OutlineSection(title="Team")], policy)[0].review == policy


@pytest.mark.req("P19")
def test_titles_that_would_give_the_same_id_get_two() -> None:
    volume = "Volume II: Technical proposal of the bidder for the whole of the services"
    titles = ("IT\u4f53\u5236", "IT\u69cb\u6210", f"{volume}: Staff", f"{volume}: Price")
    names = [one.section_id for one in plan(*({"title": title} for title in titles))]
    assert (names[:2], len(set(names)), all(map(is_token, names))) == (["it", "it_2"], 4, True)


def test_a_kind_brings_its_graph_along() -> None:
    drawn = BLUEPRINT.sections[0].model_copy(update={"graph": "roles"})
    blueprint = BLUEPRINT.model_copy(update={"sections": (drawn,)})
    (one,) = plan({"title": "Team", "kind": "research_kind"}, blueprint=blueprint)
    assert (one.kind, one.graph) == ("research_kind", "roles")


def test_a_long_purpose_goes_to_its_section_whole_and_to_the_others_in_short() -> None:
    text = "Name every amount. " * 100
    (one,) = plan({"title": "Costs", "purpose": text})
    assert one.instructions == text.strip()
    assert one.purpose.startswith("Name every amount. Name")
    assert one.purpose.endswith("\u2026")
    assert len(one.purpose) <= 500


@pytest.mark.req("P19")
@pytest.mark.parametrize(
    ("sections", "field", "words"),
    [
        ([{"title": "Team"}, {"title": "TEAM"}], "outline.1.title", "'team' stands there twice"),
        ([{"title": "Budget"}, {"section_id": "budget"}], "outline.1.section_id", "'budget' stands there twice"),
        ([{"section_id": "team"}], "outline.0.title", "no section 'team': give a title"),
        ([{"title": "A", "depends_on": ["b"]}], "outline.0.depends_on.0", "no section 'b'; it has: a"),
        ([{"title": "Our team", "depends_on": ["OUR team"]}], "outline.0.depends_on.0", "'our_team' depends on itself"),
        (
            [{"section_id": "a", "title": "X"}, {"section_id": "b", "title": "X"}, {"title": "C", "depends_on": ["X"]}],
            "outline.2.depends_on.0",
            "no section 'X'; it has: a, b, c",
        ),
        ([{"title": "A"}, {"title": "B", "depends_on": ["a", "a"]}], "outline.1.depends_on.1", "names 'a' twice"),
        (
            [{"title": "X"}, {"title": "A", "depends_on": ["b"]}, {"title": "B", "depends_on": ["a"]}],
            "outline.1.depends_on",
            "form a cycle: a -> b -> a",
        ),
        (
            [{"section_id": "research", "depends_on": ["solution"]}, {"section_id": "solution"}],
            "outline.0.depends_on",
            "form a cycle: research -> solution -> research",
        ),
    ],
)
def test_refuses_an_outline_with_its_field(sections: list[Mapping[str, object]], field: str, words: str) -> None:
    problem = problem_of(*sections)
    assert problem.field == field
    assert words in problem.message


@pytest.mark.req("P19")
def test_refuses_more_text_than_an_event_should_carry_by_its_field() -> None:
    sections = [{"title": f"Part {n}", "purpose": "\u76ee" * 4_000} for n in range(6)]
    problem = problem_of(*sections)
    assert problem.field == "outline.5.purpose"
    assert "at most 65536" in problem.message


def test_refuses_a_final_section_that_does_not_rest_on_its_review() -> None:
    cycle = CyclePlan(review_section="research", final_section="budget", max_revisions=3)
    reviewed = BLUEPRINT.model_copy(update={"cycle": cycle})
    problem = problem_of({"section_id": "research"}, {"section_id": "budget", "depends_on": []}, blueprint=reviewed)
    assert (problem.field, problem.message) == ("outline.1.depends_on", "'budget' must depend on 'research'")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Größe & Umfang", "grosse_umfang"),
        ("Démarche – étapes", "demarche_etapes"),
        ("予算", "section_3"),
        ("--", "section_3"),
        ("A" * 200, "a" * 64),
    ],
)
def test_an_id_is_made_of_a_title(title: str, name: str) -> None:
    assert derived_id(title, 3) == name


@given(st.text(min_size=1, max_size=200))
def test_every_title_gives_an_id(title: str) -> None:
    assert is_token(derived_id(title, 1))


def blueprint(*names: str, optional: tuple[str, ...] = ()) -> Blueprint:
    sections = tuple(
        BlueprintSection(id=n, title=n.title(), kind=n, purpose="for a test", required=n not in optional) for n in names
    )
    return Blueprint(kind="proposal", title="Proposal", sections=sections)


@pytest.mark.req("P4")
@pytest.mark.parametrize(
    ("names", "dependencies", "message"),
    [
        ("abcd", {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]}, r"cycle: (\w) -> \w -> \w -> \1"),
        ("abc", {"a": ["a"]}, "'a' depends on itself"),
        ("abc", {"a": ["x"]}, "names the section 'x'"),
        ("abc", {"x": ["a"]}, "names the section 'x'"),
        ("abc", {"a": ["b", "b"]}, "names 'b' twice"),
        ("aa", {}, "'a' stands there twice"),
    ],
)  # fmt: skip
def test_refuses_a_map_that_cannot_be_followed(names: str, dependencies: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InvalidPlan, match=message):
        check_dependencies(list(names), dependencies)


@pytest.mark.req("P4")
@given(st.permutations([f"s{i}" for i in range(6)]), st.data())
def test_accepts_every_map_without_a_cycle(order: list[str], data: st.DataObject) -> None:
    subsets = {
        name: data.draw(st.lists(st.sampled_from(order[:i]), unique=True)) if i else [] for i, name in enumerate(order)
    }
    check_dependencies(order, subsets)


@pytest.mark.req("P5")
@pytest.mark.parametrize(
    ("optional", "wanted", "planned"),
    [((), ["b"], ["a", "b"]), (("c",), None, ["a", "b"]), (("c",), ["c"], ["c"])],
    ids=["with what it rests on", "an optional section only", "when it is asked for"],
)
def test_a_request_may_name_the_sections(
    optional: tuple[str, ...], wanted: list[str] | None, planned: list[str]
) -> None:
    plans = plan_sections(blueprint("a", "b", "c", optional=optional), {"b": ["a"]}, wanted=wanted)
    assert [plan.section_id for plan in plans] == planned


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


def story_of(sections: int, *, in_a_row: bool) -> Story:
    """A document of so many sections, each of which rests on the one before, named before it, or on none."""
    names = [f"s{number}" for number in range(sections)]
    rests_on = {name: (upstream,) if in_a_row else () for upstream, name in pairwise(names)}
    story = Story()
    story.create({name: rests_on.get(name, ()) for name in reversed(names)})
    return story


@pytest.mark.req("P19")
@pytest.mark.parametrize("in_a_row", [True, False])
def test_a_decision_takes_work_in_proportion_to_the_sections(in_a_row: bool) -> None:
    def work(sections: int) -> int:
        story = story_of(sections, in_a_row=in_a_row)
        story.settle("s0")
        return calls(lambda: story.reviewable("s1")) + calls(story.open_jobs)

    work(10)  # What is imported and cached for one is so for all.
    assert work(200) < 2.3 * work(100)


@pytest.mark.full
@pytest.mark.req("P19")
def test_five_hundred_sections_are_decided_about_and_shown_in_order() -> None:
    story = story_of(500, in_a_row=True)
    story.settle("s0", "s1")
    view = view_of(story.document)
    assert [section.section_id for section, _ in in_order(view)] == [f"s{number}" for number in range(500)]
    assert waiting_for(view, "s498") == {"s499"}
    text = story.document.sections["s0"].versions
    written = {name: replace(section, versions=text) for name, section in story.document.sections.items()}
    assert len(staleness(replace(story.document, sections=written))) == 499


CHAPTERS = AskedChapters(
    source="rfp.md",
    sections=tuple(OutlineSection(title=title) for title in ("Budget", "Our team", "our  team")),
)


def being_read(**more: Any) -> Story:
    """A document whose request is being read into the ledger."""
    return begin(Story(), file("rfp.md", media_type="text/markdown", role="request"), **more)


def is_read(story: Story, chapters: AskedChapters | None) -> None:
    found = {"rows": ref("rows"), "difference": ref("difference"), "summary": LedgerSummary(), "chapters": chapters}
    story.said(story.job(j.ExtractRequirements), o.RequirementsExtracted, **found)


@pytest.mark.req("P19", "B6")
def test_the_chapters_that_a_request_demands_are_the_sections_where_nobody_gave_an_outline() -> None:
    story = being_read(chapters_from_request=True)
    assert (view_of(story.document).awaits_chapters, story.jobs(j.GenerateSection)) == (True, [])
    is_read(story, CHAPTERS)
    view = view_of(story.document)
    assert (view.outlined_by, view.awaits_chapters, list(view.sections)) == ("rfp.md", False, ["budget", "our_team"])
    assert [job.section.title for job in story.jobs(j.GenerateSection)] == ["Budget", "Our team"]


@pytest.mark.req("P19")
def test_the_sections_stay_where_no_order_is_demanded_a_person_gave_or_saw_to_them_or_they_were_read_before() -> None:
    plain, given, touched = being_read(chapters_from_request=True), being_read(), being_read(chapters_from_request=True)
    is_read(plain, None)
    assert [job.section.section_id for job in plain.jobs(j.GenerateSection)] == ["research"]
    plain.ask(asking.read_ledger, ())
    touched.ask(asking.assign, "budget", "mika", None, asking.NOW)
    for story in (plain, given, touched):
        is_read(story, CHAPTERS)
        assert (view_of(story.document).outlined_by, tuple(story.document.sections)) == ("", tuple(CHAIN))


@pytest.mark.req("L1")
def test_an_export_waits_for_the_first_reading_of_the_request_and_for_no_later_one() -> None:
    story = being_read(chapters_from_request=True)
    story.ask(asking.export, ExportFormat.DOCX)
    assert not story.jobs(j.ConvertDocument)
    is_read(story, CHAPTERS)
    assert story.job(j.ConvertDocument).sections[0].title == "Budget"
    story.ask(asking.read_ledger, ())
    assert story.jobs(j.ConvertDocument)


@pytest.mark.req("L1")
def test_an_export_that_was_given_out_counts_though_a_request_comes_meanwhile(begun: Story) -> None:
    begun.ask(asking.export, ExportFormat.DOCX)
    job = begun.job(j.ConvertDocument)
    begun.ask(asking.add_input, file("rfp.pdf", role="request"), to_read=True, staged=False)
    assert not begun.jobs(j.ConvertDocument)
    begun.said(job, o.DocumentConverted, artifact=ref("file")).then_types(e.DocumentExported)


@pytest.mark.req("P19")
def test_a_brief_that_is_read_late_changes_no_title_that_the_request_demands() -> None:
    german = PlanWording(language="de", sections=(SectionTitles(section_id="budget", title="Kosten"),))
    story = being_read(chapters_from_request=True, to_read=(BRIEF,), language="en", wordings=(german,))
    unread(story)
    is_read(story, CHAPTERS)
    replaced(story, "deutsch", of=BRIEF)
    read(story, language="de")
    assert (story.document.language, story.document.sections["budget"].plan.title) == ("de", "Budget")
