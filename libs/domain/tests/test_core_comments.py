"""Comments in threads: they are made together, answered, resolved and reopened, and change nothing else."""

from typing import Any

import domain_asking as asking
import pytest
from domain_asking import StoredComment
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import ThreadView
from stemma_domain.view import summarise, view_of

pytestmark = pytest.mark.req("H2")
BLOCK, OTHER_BLOCK = "k3v9x0a1bq", "m3v9x0a1bq"


@pytest.fixture
def settled(begun: Story) -> Story:
    """A story whose section `research` is approved in version 1."""
    begun.settle("research")
    return begun


def comment(story: Story, *made: StoredComment, version: int = 1, section: str = "research") -> Any:
    return story.when(asking.comment(story.asked(), section, version, made))


def remark(text: str = "why", thread: str | None = None, block: str = BLOCK) -> StoredComment:
    return StoredComment(ref(text, "application/json"), block, thread)


def threads(story: Story) -> list[ThreadView]:
    return list(story.document.sections["research"].threads.values())


def test_comments_that_are_sent_together_are_one_event_and_each_begins_a_thread(settled: Story) -> None:
    (commented,) = comment(settled, remark("one"), remark("two"))
    assert [made.remark for made in commented.comments] == [remark("one").remark, remark("two").remark]
    assert [(one.block_id, len(one.comments), one.resolved) for one in threads(settled)] == [(BLOCK, 1, False)] * 2
    assert len({one.thread_id for one in threads(settled)}) == 2
    assert threads(settled)[0].comments[0].made_by == "ada"


def test_an_answer_joins_its_thread_and_opens_it_if_it_was_resolved(settled: Story) -> None:
    comment(settled, remark())
    (first,) = threads(settled)
    comment(settled, remark("because", first.thread_id))
    settled.when(asking.resolve(settled.asked(), "research", first.thread_id)).then_types(e.SectionThreadResolved)
    assert (threads(settled)[0].resolved, threads(settled)[0].resolved_by) == (True, "ada")
    comment(settled, remark("no", first.thread_id))
    assert [(len(one.comments), one.resolved) for one in threads(settled)] == [(3, False)]


def test_an_answer_leaves_its_thread_at_the_block_that_the_first_comment_is_about(settled: Story) -> None:
    comment(settled, remark())
    comment(settled, remark("because", threads(settled)[0].thread_id, OTHER_BLOCK))
    assert [(one.block_id, len(one.comments)) for one in threads(settled)] == [(BLOCK, 2)]


def test_a_thread_is_resolved_once_and_reopened_once(settled: Story) -> None:
    comment(settled, remark())
    name = threads(settled)[0].thread_id
    again = settled.when(asking.reopen(settled.asked(), "research", name)).events
    settled.when(asking.resolve(settled.asked(), "research", name))
    twice = settled.when(asking.resolve(settled.asked(), "research", name)).events
    assert [one.problem.message for one in (*again, *twice)] == [
        f"the thread {name} is open already",
        f"the thread {name} is resolved already",
    ]
    settled.when(asking.reopen(settled.asked(), "research", name)).then_types(e.SectionThreadReopened)
    assert not threads(settled)[0].resolved


def test_comments_are_refused_all_together_naming_each_thread_that_is_not_there(settled: Story) -> None:
    refusals = comment(settled, remark("new"), remark("lost", "c9-9")).events
    assert [(one.problem.field, one.problem.message) for one in refusals] == [
        ("comments.1.thread_id", "the section has no thread c9-9")
    ]
    unknown = settled.when(asking.resolve(settled.asked(), "research", "c9-9")).events
    assert unknown[0].problem.field == "thread_id"
    assert threads(settled) == []


def test_a_version_that_is_not_there_cannot_be_commented_on_and_an_earlier_one_can(settled: Story) -> None:
    comment(settled, remark(), version=2).then_refused("version_old")
    comment(settled, remark(), section="solution").then_refused("nothing_written")
    settled.when(asking.write(settled.asked(), "research", 1, ref("by hand"), ()))
    comment(settled, remark(), version=1).then_types(e.SectionCommented)
    assert threads(settled)[0].comments[0].version == 1


def test_comments_leave_text_status_and_work_as_they_are_and_nothing_is_decided_after_a_cancellation(
    settled: Story,
) -> None:
    before, jobs = settled.document, settled.open_jobs()
    comment(settled, remark())
    assert settled.open_jobs() == jobs
    assert settled.document.sections["research"].phase is before.sections["research"].phase
    assert settled.document.lifecycle is before.lifecycle
    settled.when(asking.cancel(settled.asked()))
    comment(settled, remark()).then_refused("document_cancelled")


def test_the_same_request_again_makes_no_second_comment(settled: Story) -> None:
    again = asking.comment(settled.asked("same"), "research", 1, (remark(),))
    settled.when(again)
    assert settled.when(again).events == ()
    assert len(threads(settled)) == 1


def test_the_read_model_counts_open_threads_and_the_view_has_all_of_them(settled: Story) -> None:
    comment(settled, remark("one"), remark("two"))
    settled.when(asking.resolve(settled.asked(), "research", threads(settled)[0].thread_id))
    listed = {one.section_id: one.open_threads for one in summarise(settled.document, 1).sections}
    section = view_of(settled.document).sections["research"]
    assert (listed["research"], listed["budget"]) == (1, 0)
    assert [one.resolved for one in section.threads] == [True, False]
    assert section.open_threads == section.threads[1:]
