"""Suggestions are accepted and single changes taken back by people who may not write a text; on the pure core."""

from typing import Any

import domain_asking as asking
import pytest
from domain_asking import StoredComment
from domain_story import Story, ref
from stemma_contracts.v1 import events as e

pytestmark = pytest.mark.req("P9", "H8")
TEXT = ref("with other words")


@pytest.fixture
def suggested(begun: Story) -> Story:
    """The approved section `research`, with a comment that suggests other words in a thread of its own."""
    begun.settle("research")
    begun.when(asking.comment(begun.asked(), "research", 1, [StoredComment(ref("suggestion"))]))
    return begun


def thread(story: Story) -> str:
    return next(iter(story.document.sections["research"].threads))


def accept(story: Story, version: int = 1, text: Any = TEXT, name: str = "") -> list[Any]:
    name = name or thread(story)
    return list(story.when(asking.accept_suggestion(story.asked(), "research", version, name, name, text)).events)


def test_an_accepted_suggestion_is_a_text_of_who_accepts_it_and_its_thread_is_resolved(suggested: Story) -> None:
    edited, resolved = accept(suggested)
    assert isinstance(edited, e.SectionEdited)
    assert isinstance(resolved, e.SectionThreadResolved)
    assert (edited.draft, edited.version, edited.request_id) == (TEXT, 2, resolved.request_id)
    assert suggested.document.sections["research"].threads[thread(suggested)].resolved


def test_a_suggestion_is_accepted_once_in_the_version_that_was_seen_and_only_if_its_words_are_there(
    suggested: Story,
) -> None:
    assert accept(suggested, text=None)[0].problem.code == "suggestion_outdated"
    assert accept(suggested, version=2)[0].problem.code == "version_old"
    assert accept(suggested, name="c9-9")[0].problem.code == "thread_unknown"
    accept(suggested)
    assert accept(suggested, version=2)[0].problem.code == "thread_resolved"


def test_of_two_people_who_change_the_version_that_both_saw_the_second_is_refused(suggested: Story) -> None:
    accept(suggested)
    (taken_back,) = suggested.when(asking.take_back(suggested.asked(), "research", 1, 1, TEXT, None)).events
    for refusal in (accept(suggested)[0], taken_back):
        assert (refusal.problem.code, refusal.problem.params["current_version"]) == ("version_old", 2)


def test_changes_are_taken_back_as_a_text_of_that_person_unless_something_is_at_work(begun: Story) -> None:
    begun.settle("research")
    (taken,) = begun.when(asking.take_back(begun.asked(), "research", 1, 1, TEXT, None)).events
    assert isinstance(taken, e.SectionEdited)
    (gone,) = begun.when(asking.take_back(begun.asked(), "research", 2, 1, None, None)).events
    assert gone.problem.code == "changes_outdated"
    (unknown,) = begun.when(asking.take_back(begun.asked(), "research", 2, None, TEXT, "p9")).events
    assert unknown.problem.code == "proposal_unknown"
    begun.when(asking.regenerate(begun.asked(), "research", 2, None, True))
    (at_work,) = begun.when(asking.take_back(begun.asked(), "research", 2, 1, TEXT, None)).events
    assert at_work.problem.code == "section_generating"
