"""Comments in threads change nothing else; a suggestion is accepted, and changes are taken back, as a person's text."""

from typing import Any

import domain_asking as asking
import pytest
from domain_asking import StoredComment
from domain_story import Story, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import ThreadView
from stemma_domain.view import summarise, view_of

BLOCK, OTHER_BLOCK = "k3v9x0a1bq", "m3v9x0a1bq"
TEXT = ref("with other words")
pytestmark = pytest.mark.req("H2")


@pytest.fixture
def settled(begun: Story) -> Story:
    """The section `research` is approved in version 1."""
    begun.settle("research")
    return begun


@pytest.fixture
def suggested(settled: Story) -> Story:
    """A comment suggests other words, in a thread of its own."""
    comment(settled, remark("suggestion"))
    return settled


def comment(story: Story, *made: StoredComment, version: int = 1, section: str = "research") -> Any:
    return story.ask(asking.comment, section, version, made)


def remark(text: str = "why", thread: str | None = None, block: str = BLOCK) -> StoredComment:
    return StoredComment(ref(text, "application/json"), block, thread)


def threads(story: Story) -> list[ThreadView]:
    return list(story.document.sections["research"].threads.values())


def thread(story: Story) -> str:
    return threads(story)[0].thread_id


def resolve(story: Story, name: str) -> Any:
    return story.ask(asking.resolve, "research", name)


def test_comments_that_are_sent_together_are_one_event_and_each_begins_a_thread_that_readers_see(
    settled: Story,
) -> None:
    again = asking.comment(settled.asked("same"), "research", 1, (remark("one"), remark("two")))
    (commented,) = settled.when(again)
    settled.when(again).then_nothing_happened()
    assert [made.remark for made in commented.comments] == [remark("one").remark, remark("two").remark]
    assert [(one.block_id, len(one.comments), one.resolved) for one in threads(settled)] == [(BLOCK, 1, False)] * 2
    assert (len({one.thread_id for one in threads(settled)}), threads(settled)[0].comments[0].made_by) == (2, "ada")
    resolve(settled, thread(settled))
    listed = {one.section_id: one.open_threads for one in summarise(settled.document, 1).sections}
    section = view_of(settled.document).sections["research"]
    assert (listed["research"], listed["budget"]) == (1, 0)
    assert ([one.resolved for one in section.threads], section.open_threads) == ([True, False], section.threads[1:])


def test_an_answer_joins_its_thread_where_that_lies_and_opens_it_if_it_was_resolved(suggested: Story) -> None:
    comment(suggested, remark("because", thread(suggested), OTHER_BLOCK))
    resolve(suggested, thread(suggested)).then_types(e.SectionThreadResolved)
    assert (threads(suggested)[0].resolved, threads(suggested)[0].resolved_by) == (True, "ada")
    comment(suggested, remark("no", thread(suggested)))
    assert [(one.block_id, len(one.comments), one.resolved) for one in threads(suggested)] == [(BLOCK, 3, False)]


def test_a_thread_is_resolved_once_and_reopened_once(suggested: Story) -> None:
    name = thread(suggested)
    suggested.ask(asking.reopen, "research", name).then_refused("thread_open")
    resolve(suggested, name)
    resolve(suggested, name).then_refused("thread_resolved")
    suggested.ask(asking.reopen, "research", name).then_types(e.SectionThreadReopened)
    assert not threads(suggested)[0].resolved


def test_comments_are_refused_all_together_naming_each_thread_that_is_not_there(settled: Story) -> None:
    (refusal,) = comment(settled, remark("new"), remark("lost", "c9-9")).events
    assert (refusal.problem.code, refusal.problem.field) == ("thread_unknown", "comments.1.thread_id")
    (unknown,) = resolve(settled, "c9-9").events
    assert (unknown.problem.field, threads(settled)) == ("thread_id", [])


def test_a_version_that_is_not_there_cannot_be_commented_on_and_an_earlier_one_can(settled: Story) -> None:
    comment(settled, remark(), version=2).then_refused("version_old")
    comment(settled, remark(), section="solution").then_refused("nothing_written")
    settled.ask(asking.write, "research", 1, ref("by hand"))
    comment(settled, remark(), version=1).then_types(e.SectionCommented)
    assert threads(settled)[0].comments[0].version == 1


def test_comments_leave_text_status_and_work_as_they_are_and_nothing_is_decided_after_a_cancellation(
    settled: Story,
) -> None:
    before, jobs = settled.document, settled.open_jobs()
    comment(settled, remark())
    assert (settled.open_jobs(), settled.document.lifecycle) == (jobs, before.lifecycle)
    assert settled.document.sections["research"].phase is before.sections["research"].phase
    settled.ask(asking.cancel)
    comment(settled, remark()).then_refused("document_cancelled")


def accept(story: Story, version: int = 1, text: Any = TEXT, name: str = "") -> Any:
    name = name or thread(story)
    return story.ask(asking.accept_suggestion, "research", version, name, name, text)


def take_back(story: Story, version: int, *values: Any) -> Any:
    return story.ask(asking.take_back, "research", version, *values)


@pytest.mark.req("P9", "H8")
def test_an_accepted_suggestion_is_a_text_of_who_accepts_it_and_its_thread_is_resolved(suggested: Story) -> None:
    edited, resolved = accept(suggested).then_types(e.SectionEdited, e.SectionThreadResolved)
    assert (edited.draft, edited.version, edited.request_id) == (TEXT, 2, resolved.request_id)
    assert threads(suggested)[0].resolved


@pytest.mark.req("P9", "H8")
def test_a_suggestion_is_accepted_once_in_the_version_that_was_seen_and_only_if_its_words_are_there(
    suggested: Story,
) -> None:
    accept(suggested, text=None).then_refused("suggestion_outdated")
    accept(suggested, version=2).then_refused("version_old")
    accept(suggested, name="c9-9").then_refused("thread_unknown")
    accept(suggested)
    for late in (accept(suggested), take_back(suggested, 1, 1, TEXT, None)):
        assert late.then_refused("version_old").events[0].problem.params["current_version"] == 2
    accept(suggested, version=2).then_refused("thread_resolved")


@pytest.mark.req("P9", "H8")
def test_changes_are_taken_back_as_a_text_of_that_person_unless_something_is_at_work(settled: Story) -> None:
    take_back(settled, 1, 1, TEXT, None).then_types(e.SectionEdited)
    take_back(settled, 2, 1, None, None).then_refused("changes_outdated")
    take_back(settled, 2, None, TEXT, "p9").then_refused("proposal_unknown")
    settled.ask(asking.regenerate, "research", 2, None, True)
    take_back(settled, 2, 1, TEXT, None).then_refused("section_generating")
