"""What people wrote and deleted stays when a machine writes anew; where both changed the same, a person settles it."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, evaluation, merged, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.jobs import DraftHistory
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.hands import Hand, UnmergedDraft, hand_of

pytestmark = pytest.mark.req("L4", "P9", "P10")
MACHINE = "text of research"


@pytest.fixture
def written(begun: Story) -> Story:
    """The section is a person's, in version 2."""
    begun.settle("research")
    begun.ask(asking.write, "research", 1, ref("mine"))
    return begun


@pytest.fixture
def renewed(written: Story) -> Story:
    """A machine wrote anew what was merged as version 3, with two conflicts."""
    regenerate(written, 2)
    written.drafted("research", "anew", merged("both", "anew", conflicts=2))
    written.validated("research")
    return written


def write(story: Story, text: str) -> Any:
    (event,) = story.ask(asking.write, "research", story.document.sections["research"].current_number, ref(text))
    return event


def regenerate(story: Story, version: int, *, leave: bool = False) -> None:
    story.ask(asking.regenerate, "research", version, None, replace_edited=leave)


def hand(story: Story) -> Hand | None:
    return hand_of(story.document.sections["research"])


def test_a_draft_is_merged_with_every_step_that_people_made_since_the_machines_own_text(renewed: Story) -> None:
    assert hand(renewed) == Hand(ref("anew"), ref("both"), ((ref(MACHINE), ref("mine")),))
    write(renewed, "mine again")
    steps = ((ref(MACHINE), ref("mine")), (ref("both"), ref("mine again")))
    assert hand(renewed) == Hand(ref("anew"), ref("mine again"), steps)


def test_a_text_that_a_person_wrote_first_has_no_machines_text_before(begun: Story) -> None:
    begun.ask(asking.write, "research", 0, ref("mine"))
    assert hand(begun) == Hand(None, ref("mine"), ((None, ref("mine")),))


def test_a_text_that_no_person_touched_is_merged_with_nothing(begun: Story) -> None:
    begun.settle("research")
    assert hand(begun) is None
    regenerate(begun, 1)
    (event,) = begun.drafted("research", "anew", merged("both", "anew"))
    assert (event.draft, event.merge) == (ref("anew"), None)


def test_a_merged_draft_is_judged_anew_and_not_approved_with_open_conflicts(renewed: Story) -> None:
    assert (renewed.current().draft, renewed.current().evaluation) == (ref("both"), None)
    assert renewed.jobs(j.EvaluateDraft)
    assert renewed.status("research") == "awaiting_review"
    renewed.approve("research", 3).then_refused("conflicts_open")


def test_no_policy_approves_a_merged_draft_that_is_judged_before_it_is_validated() -> None:
    story = Story()
    story.create(review=ReviewPolicy(mode=ReviewMode.NONE))
    write(story, "mine")
    regenerate(story, 1)
    story.drafted("research", "anew", merged("both", "anew", conflicts=1))
    story.said(story.job(j.EvaluateDraft), o.DraftEvaluated, evaluation=evaluation(), provenance=PROVENANCE)
    story.validated("research")
    assert story.status("research") == "awaiting_review"


@pytest.mark.parametrize(("text", "version"), [("both", 3), ("other words", 4)])
def test_a_text_of_a_person_settles_its_conflicts_also_one_that_leaves_it_as_it_is(
    renewed: Story, text: str, version: int
) -> None:
    assert isinstance(write(renewed, text), e.SectionEdited)
    merge, made = renewed.current().merge, hand(renewed)
    assert (renewed.current().number, merge.count if merge else 0) == (version, 0)
    assert made is not None
    assert made.base == ref("anew")


def test_a_persons_step_counts_also_after_a_new_text_that_changes_nothing(written: Story) -> None:
    regenerate(written, 2)
    written.drafted("research", "anew", merged("mine", "anew", conflicts=1))
    assert written.current().number == 2
    assert hand(written) == Hand(ref("anew"), ref("mine"), ((ref(MACHINE), ref("mine")),))


def test_a_restored_text_has_no_conflicts_of_the_version_that_had_it(renewed: Story) -> None:
    write(renewed, "other words")
    renewed.ask(asking.restore, "research", 4, 3)
    assert (renewed.current().draft, renewed.current().merge) == (ref("both"), None)


def test_leave_counts_for_one_text_and_ends_with_what_a_person_writes(renewed: Story) -> None:
    regenerate(renewed, 3, leave=True)
    assert hand(renewed) is None
    write(renewed, "mine after all")
    assert hand(renewed) is not None


def test_a_persons_words_that_a_machine_comes_to_again_stay_the_persons_until_leave_is_given(written: Story) -> None:
    def now() -> tuple[int, Origin]:
        return written.current().number, written.current().origin

    regenerate(written, 2, leave=True)
    written.drafted("research", "mine")
    assert now() == (2, Origin.WRITTEN)
    written.validated("research")
    written.ask(asking.revise, "research", 2, ref("shorter"))
    written.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    assert now() == (3, Origin.REVISED)
    written.validated("research")
    regenerate(written, 3)
    with pytest.raises(UnmergedDraft):
        written.drafted("research", "the machine's text")
    written.drafted("research", "the machine's text", merged("both texts", "the machine's text"))
    assert (now(), written.current().is_a_persons) == ((4, Origin.GENERATED), True)
    written.validated("research")
    regenerate(written, 4, leave=True)
    written.drafted("research", "the machine's text")
    assert not written.current().is_a_persons


def checked(story: Story, name: str) -> None:
    """The open check finds the blocks of a text."""
    found = validation().model_copy(update={"blocks": ref(name)})
    story.outcome(o.DraftValidated, "research", job_id=story.job(j.ValidateDraft).job_id, validation=found)


def test_a_check_is_told_the_blocks_of_the_last_version_that_has_them_and_all_drafts_since(begun: Story) -> None:
    def history() -> DraftHistory | None:
        return begun.job(j.ValidateDraft).history

    begun.drafted("research", "one")
    assert history() == DraftHistory()
    checked(begun, "blocks of one")
    write(begun, "two")
    assert history() == DraftHistory(blocks=ref("blocks of one"), drafts=(ref("one"),))
    write(begun, "three")
    assert history() == DraftHistory(blocks=ref("blocks of one"), drafts=(ref("one"), ref("two")))
    checked(begun, "blocks of three")
    begun.ask(asking.restore, "research", 3, 1)
    blocks = [version.blocks for version in begun.document.sections["research"].versions]
    assert blocks == [ref("blocks of one"), None, ref("blocks of three"), None]
    assert history() == DraftHistory(blocks=ref("blocks of three"), drafts=(ref("three"),))


def test_a_log_from_before_blocks_had_ids_is_told_from_its_beginning(begun: Story) -> None:
    begun.reviewable("research")
    write(begun, "two")
    assert begun.job(j.ValidateDraft).history == DraftHistory(drafts=(ref(MACHINE),))
