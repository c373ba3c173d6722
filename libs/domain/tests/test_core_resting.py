"""A section is stale by what it uses of its upstream: a validation says what that is, each version what it changed."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.staleness import StaleReason, TextDifference, UsedUpstream
from stemma_domain.commands import Compared
from stemma_domain.decide import texts_to_compare
from stemma_domain.staleness import staleness
from stemma_domain.view import summarise

pytestmark = pytest.mark.req("L3", "P9")


@pytest.fixture
def done(begun: Story) -> Story:
    """research <- solution <- budget, timeline; `solution` uses the marks a and b of `research`."""
    begun.settle("research")
    begun.drafted("solution")
    checked(begun, "solution", UsedUpstream(section_id="research", version=1, marks=("a", "b")))
    begun.approve("solution")
    begun.settle("budget", "timeline")
    return begun


def checked(story: Story, name: str, *used: UsedUpstream) -> None:
    found = validation().model_copy(update={"used_upstream": used})
    story.outcome(o.DraftValidated, name, validation=found)


def write(story: Story, text: str, name: str = "research", base: str = "", **changed: Any) -> e.SectionEdited:
    """A text with what it changes in the one that it takes the place of, or was compared with."""
    current = story.current(name)
    old, new = base or current.draft.digest, ref(text)
    command = asking.write(story.asked(), name, current.number, new)
    difference = TextDifference(base=old, **changed)
    (edited, *_) = story.when(Compared(command, {(old, new.digest): difference}))
    assert isinstance(edited, e.SectionEdited)
    return edited


def reasons(story: Story, name: str = "solution") -> tuple[StaleReason, ...]:
    because = staleness(story.document).get(name)
    return because.reasons if because else ()


def test_a_change_of_what_nobody_uses_makes_nothing_stale(done: Story) -> None:
    edited = write(done, "second", touched=("c",))
    assert edited.difference is not None
    assert (edited.makes_stale, staleness(done.document)) == ((), {})


def test_a_change_of_what_a_section_uses_makes_it_stale_and_names_that(done: Story) -> None:
    edited = write(done, "second", touched=("c",), extended=("b",))
    assert [mark.section_id for mark in edited.makes_stale] == ["solution", "budget", "timeline"]
    reason = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2, marks=("b",))
    assert edited.makes_stale[0].reasons == (reason,)


def test_a_mark_is_followed_through_versions_to_a_change_of_what_stands_there_now(done: Story) -> None:
    write(done, "second", followed={"a": "x"})
    write(done, "third", followed={"x": "y"}, touched=("a",))
    assert reasons(done) == ()
    write(done, "fourth", touched=("y",))
    assert [reason.marks for reason in reasons(done)] == [("a",)]


def test_a_kept_section_rests_on_what_took_the_place_of_what_it_used(done: Story) -> None:
    write(done, "second", touched=("a",), followed={"a": "x"})
    done.ask(asking.keep, "solution", 1)
    write(done, "third", touched=("a", "c"))
    assert reasons(done) == ()
    write(done, "fourth", touched=("x",))
    assert [reason.marks for reason in reasons(done)] == [("x",)]


def test_what_a_second_look_finds_counts_beside_what_the_first_found(done: Story) -> None:
    write(done, "second", "solution")
    job = next(job for job in done.open_jobs().values() if type(job).__name__ == "ValidateDraft")
    found = validation().model_copy(
        update={"used_upstream": (UsedUpstream(section_id="research", version=1, marks=("c",)),)}
    )
    done.outcome(o.DraftValidated, "solution", job_id=job.job_id, validation=found)
    write(done, "another", touched=("c",))
    assert [reason.marks for reason in reasons(done)] == [("c",)]


@pytest.mark.parametrize("base", ["", "0" * 64])
def test_where_nothing_is_known_of_the_change_all_of_it_counts(done: Story, base: str) -> None:
    if base:
        write(done, "second", base=base, touched=())
    else:
        done.ask(asking.write, "research", 1, ref("second"))
    assert reasons(done) == (StaleReason(upstream_section_id="research", accepted_version=1, current_version=2),)


@pytest.mark.parametrize(
    "used",
    [
        (),
        (UsedUpstream(section_id="research", version=1, whole=True),),
        (
            UsedUpstream(section_id="research", version=1, marks=("a",)),
            UsedUpstream(section_id="research", version=1, whole=True),
        ),
    ],
)
def test_where_nothing_is_known_of_the_use_all_of_it_counts(begun: Story, used: tuple[UsedUpstream, ...]) -> None:
    begun.settle("research")
    begun.drafted("solution")
    checked(begun, "solution", *used)
    write(begun, "second", touched=())
    assert [reason.marks for reason in reasons(begun)] == [()]


def test_where_no_use_was_found_what_is_only_added_makes_nothing_stale(begun: Story) -> None:
    begun.settle("research")
    begun.drafted("solution")
    checked(begun, "solution", UsedUpstream(section_id="research", version=1))
    write(begun, "second", extended=("a",))
    assert reasons(begun) == ()
    write(begun, "third", touched=("a",))
    assert [reason.marks for reason in reasons(begun)] == [()]


def test_texts_are_compared_only_where_a_written_section_rests_on_them(done: Story, begun: Story) -> None:
    def compared(name: str, text: str) -> list[str]:
        command = asking.write(done.asked(), name, 1, ref(text))
        return [new.digest for _, new in texts_to_compare(command, done.document)]

    assert compared("research", "second") == [ref("second").digest]
    assert compared("budget", "second") == []
    current = done.current()
    same = asking.write(done.asked(), "research", 1, current.draft)
    assert texts_to_compare(same, done.document) == []
    assert texts_to_compare(asking.pause(done.asked()), done.document) == []


@pytest.mark.req("E1")
def test_a_summary_tells_which_sections_are_stale(begun: Story) -> None:
    begun.settle("research", "solution")
    begun.ask(asking.write, "research", 1, ref("other words"))
    assert [one.section_id for one in summarise(begun.document, 1).sections if one.stale] == ["solution"]
