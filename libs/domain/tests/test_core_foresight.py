"""What a request would lead to is told before it is made, by the same rules; on the pure core."""

from datetime import timedelta
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref
from stemma_contracts.v1.provenance import ProcessingMetadata
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.usage import Usage
from stemma_domain.costs import Run, usual
from stemma_domain.foresight import Foreseen, foreseen, plan_of
from stemma_domain.staleness import staleness

pytestmark = pytest.mark.req("L6")
SPENT = Usage(calls=2, input_tokens=10, output_tokens=5, cost=0.5)


@pytest.fixture
def done(begun: Story) -> Story:
    """research <- solution <- budget, timeline; all approved, each for the same."""
    for name in ("research", "solution", "budget", "timeline"):
        begun.drafted(name, usage=SPENT, processing_metadata=took(60))
        begun.validated(name)
        begun.approve(name)
    return begun


def took(seconds: float) -> ProcessingMetadata:
    begun = asking.NOW
    return ProcessingMetadata(started_at=begun, finished_at=begun + timedelta(seconds=seconds), seconds=seconds)


def seen(*names: str) -> tuple[SeenVersion, ...]:
    return tuple(SeenVersion(section_id=name, version=1) for name in names)


def looked(story: Story, command: Any) -> Foreseen:
    before = story.state
    found = foreseen(command, story.document)
    assert story.state == before
    return found


def test_a_text_of_a_person_makes_stale_what_rests_on_it_as_it_then_does(done: Story) -> None:
    write = asking.write(done.asked(), "solution", 1, ref("other"))
    found = looked(done, write)
    done.when(write)
    assert found.stale == tuple(staleness(done.document)) == ("budget", "timeline")
    assert (found.work, found.reviews) == ((("solution", "check"),), ())
    assert plan_of(found, {}).certain


def test_what_is_to_be_read_again_is_told_in_the_order_in_which_it_is_written() -> None:
    story, names = Story(), tuple("hgfedcba")
    story.create(dict.fromkeys(names, ()))
    story.settle(*names)
    found = looked(story, asking.regenerate_several(story.asked(), seen(*names)))
    assert found.reviews == tuple(name for name, _ in found.work) == names


def test_what_is_written_anew_is_read_again_and_what_rests_on_it_may_be_stale(done: Story) -> None:
    found = looked(done, asking.regenerate(done.asked(), "solution", 1))
    assert (found.work, found.reviews) == ((("solution", "write"),), ("solution",))
    assert found.stale == ("budget", "timeline")
    assert not plan_of(found, {}).certain


def test_several_are_written_one_after_the_other_for_what_each_took_before(done: Story) -> None:
    found = looked(done, asking.regenerate_several(done.asked(), seen("budget", "solution", "research")))
    assert [name for name, _ in found.work] == ["research", "solution", "budget"]
    plan = plan_of(found, {})
    assert (plan.usage, plan.unknown, plan.seconds) == (
        Usage(calls=6, input_tokens=30, output_tokens=15, cost=1.5),
        0,
        180,
    )
    assert [one.usage for one in plan.work] == [SPENT] * 3
    assert (plan.stale, plan.reviews) == (("timeline",), ("research", "solution", "budget"))


def test_all_rounds_of_a_writing_are_what_it_took(done: Story) -> None:
    done.ask(asking.regenerate, "timeline", 1)
    done.drafted("timeline", "first", usage=SPENT)
    done.validated("timeline", passed=False)
    done.drafted("timeline", "second", usage=SPENT)
    done.validated("timeline")
    done.approve("timeline", 3)
    [work] = plan_of(looked(done, asking.regenerate(done.asked(), "timeline", 3)), {}).work
    assert work.usage == Usage(calls=3, input_tokens=15, output_tokens=8, cost=0.75), "the middle of one round and two"


def test_what_nobody_wrote_before_takes_what_others_of_its_kind_took_or_is_not_known(begun: Story) -> None:
    begun.settle("research", "solution")
    command = asking.edit(begun.asked(), "solution", 1, ref("shorter"))
    plan = plan_of(looked(begun, command), {})
    assert [(one.kind, one.usage) for one in plan.work] == [("edit", None), ("check", None)]
    assert (plan.unknown, plan.usage, plan.seconds) == (2, Usage(), None)
    known = plan_of(looked(begun, command), {("solution", "editing"): Run(SPENT, 9.0)})
    assert (known.unknown, known.usage, known.seconds) == (1, SPENT, 9)


def test_keeping_writes_what_waited_for_it(done: Story) -> None:
    done.ask(asking.write, "research", 1, ref("other"))
    done.ask(asking.regenerate, "budget", 1)
    found = looked(done, asking.keep(done.asked(), "solution", 1))
    assert (found.work, found.fresh) == ((("budget", "write"),), ("solution", "budget", "timeline"))


def test_a_policy_that_settles_leaves_nothing_to_be_read(begun: Story) -> None:
    story = Story()
    story.create(review=ReviewPolicy(mode=ReviewMode.NONE))
    for name in ("research", "solution", "budget", "timeline"):
        story.reviewable(name)
    found = looked(story, asking.regenerate(story.asked(), "research", 1))
    assert (found.reviews, found.stale) == ((), ("solution", "budget", "timeline"))


def test_a_text_with_words_of_people_is_planned_as_the_merge_that_it_will_be(done: Story) -> None:
    done.ask(asking.write, "research", 1, ref("a person's"))
    found = looked(done, asking.regenerate(done.asked(), "research", 2))
    assert (found.work, found.reviews) == ((("research", "write"), ("research", "check")), ("research",))


def test_what_would_be_refused_has_its_problem_and_nothing_else(done: Story) -> None:
    found = looked(done, asking.approve(done.asked(), "research", 1))
    assert ([problem.code for problem in found.problems], found.work, found.stale) == (["section_approved"], (), ())


def test_work_that_is_under_way_is_none_of_the_plan(begun: Story) -> None:
    begun.settle("research")
    found = looked(begun, asking.write(begun.asked(), "research", 1, ref("other")))
    assert found.work == (("research", "check"),), "solution is being written, whatever comes of this"


def test_a_plan_names_so_many_sections_and_counts_the_others(done: Story) -> None:
    plan = plan_of(Foreseen(done.document, done.document, work=(("research", "write"),) * 130), {})
    assert (len(plan.work), plan.left_off, plan.usage.calls) == (100, 30, 260)


def test_what_is_usual_is_the_middle_of_other_documents(done: Story) -> None:
    kinds = {name: section.plan.kind for name, section in done.document.sections.items()}
    found = usual([(kinds, done.document.costs)])
    assert (found["budget", "writing"].usage, found["budget", "writing"].seconds) == (SPENT, 60)
