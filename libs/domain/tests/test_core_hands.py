"""What people wrote and deleted stays when a machine writes anew; where both changed the same, a person settles it."""

import domain_asking as asking
import pytest
from domain_story import Story, merged, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_domain.hands import Hand, hand_of
from stemma_domain.state import Version

pytestmark = pytest.mark.req("L4")
MACHINE = "text of research"


@pytest.fixture
def renewed(begun: Story) -> Story:
    """A person wrote version 2, and a machine anew what was merged as version 3, with two conflicts."""
    begun.settle("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("mine")))
    begun.when(asking.regenerate(begun.asked(), "research", 2, None, replace_edited=False))
    begun.drafted("research", "anew", merged("both", "anew", conflicts=2))
    begun.validated("research")
    return begun


def current(story: Story) -> Version:
    return story.document.sections["research"].versions[-1]


def hand(story: Story) -> Hand | None:
    return hand_of(story.document.sections["research"])


def test_a_draft_is_merged_with_every_step_that_people_made_since_the_machines_own_text(renewed: Story) -> None:
    assert hand(renewed) == Hand(ref("anew"), ref("both"), ((ref(MACHINE), ref("mine")),))
    renewed.when(asking.write(renewed.asked(), "research", 3, ref("mine again")))
    steps = ((ref(MACHINE), ref("mine")), (ref("both"), ref("mine again")))
    assert hand(renewed) == Hand(ref("anew"), ref("mine again"), steps)


def test_a_text_that_a_person_wrote_first_has_no_machines_text_before(begun: Story) -> None:
    begun.when(asking.write(begun.asked(), "research", 0, ref("mine")))
    assert hand(begun) == Hand(None, ref("mine"), ((None, ref("mine")),))


def test_a_text_that_no_person_touched_is_merged_with_nothing(begun: Story) -> None:
    begun.settle("research")
    assert hand(begun) is None
    begun.when(asking.regenerate(begun.asked(), "research", 1, None, replace_edited=False))
    (event,) = begun.drafted("research", "anew", merged("both", "anew"))
    assert (event.draft, event.merge) == (ref("anew"), None)


def test_a_merged_draft_is_judged_anew_and_waits_for_a_person(renewed: Story) -> None:
    assert (current(renewed).draft, current(renewed).evaluation) == (ref("both"), None)
    assert renewed.jobs(j.EvaluateDraft)
    assert renewed.status("research") == "awaiting_review"


def test_what_has_open_conflicts_is_not_approved(renewed: Story) -> None:
    (refused,) = renewed.approve("research", 3)
    assert refused.problem.message == "version 3 has 2 open conflicts: settle them, or write the text"


@pytest.mark.parametrize(("text", "version"), [("both", 3), ("other words", 4)])
def test_a_text_of_a_person_settles_its_conflicts_also_one_that_leaves_it_as_it_is(
    renewed: Story, text: str, version: int
) -> None:
    (written,) = renewed.when(asking.write(renewed.asked(), "research", 3, ref(text)))
    assert isinstance(written, e.SectionEdited)
    merge = current(renewed).merge
    assert (current(renewed).number, merge.count if merge else 0) == (version, 0)
    assert hand(renewed) is not None
    assert hand(renewed).base == ref("anew")  # type: ignore[union-attr]


def test_a_persons_step_counts_also_after_a_new_text_that_changes_nothing(begun: Story) -> None:
    begun.settle("research")
    begun.when(asking.write(begun.asked(), "research", 1, ref("mine")))
    begun.when(asking.regenerate(begun.asked(), "research", 2, None, replace_edited=False))
    begun.drafted("research", "anew", merged("mine", "anew", conflicts=1))
    assert current(begun).number == 2
    assert hand(begun) == Hand(ref("anew"), ref("mine"), ((ref(MACHINE), ref("mine")),))


def test_a_restored_text_has_no_conflicts_of_the_version_that_had_it(renewed: Story) -> None:
    renewed.when(asking.write(renewed.asked(), "research", 3, ref("other words")))
    renewed.when(asking.restore(renewed.asked(), "research", 4, 3))
    assert (current(renewed).draft, current(renewed).merge) == (ref("both"), None)


def test_leave_counts_for_one_text_and_ends_with_what_a_person_writes(renewed: Story) -> None:
    renewed.when(asking.regenerate(renewed.asked(), "research", 3, None, replace_edited=True))
    assert hand(renewed) is None
    renewed.when(asking.write(renewed.asked(), "research", 3, ref("mine after all")))
    assert hand(renewed) is not None
