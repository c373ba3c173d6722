"""What a person wrote stays that person's, also when a machine comes to the very same words."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, merged, ref
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.provenance import Origin
from stemma_domain.hands import UnmergedDraft
from stemma_domain.state import State
from stemma_testkit.deciding import Then

WORDS = "a person's text"


@pytest.fixture
def written(begun: Story) -> Story:
    """A settled document whose research is a person's, in version 2."""
    begun.settle("research", "solution", "budget", "timeline")
    begun.when(asking.write(begun.asked(), "research", 1, ref(WORDS)))
    return begun


def regenerate(story: Story, replace_edited: bool, version: int = 2) -> Then[State, Any]:
    return story.when(asking.regenerate(story.asked(), "research", version, None, replace_edited))


def current(story: Story) -> tuple[int, Origin]:
    version = story.document.sections["research"].versions[-1]
    return version.number, version.origin


@pytest.mark.req("P9", "P10")
def test_a_regeneration_that_gives_a_persons_words_again_leaves_them_the_persons(written: Story) -> None:
    regenerate(written, replace_edited=True)
    written.drafted("research", WORDS)
    assert current(written) == (2, Origin.WRITTEN)
    written.validated("research")
    written.approve("research", 2)
    regenerate(written, replace_edited=False)
    with pytest.raises(UnmergedDraft):
        written.drafted("research", "the machine's text")


def test_a_lint_round_that_gives_a_persons_words_again_leaves_them_the_persons(written: Story) -> None:
    regenerate(written, replace_edited=True)
    for _ in range(2):
        written.drafted("research", WORDS)
        written.validated("research", passed=False)
    assert current(written) == (2, Origin.WRITTEN)


def test_a_revision_that_gives_a_persons_words_again_leaves_them_the_persons(written: Story) -> None:
    regenerate(written, replace_edited=True)
    written.drafted("research", WORDS)
    written.validated("research")
    written.when(asking.revise(written.asked(), "research", 2, ref("as it was")))
    written.outcome(o.DraftRevised, "research", draft=ref(WORDS), summary=ref("none"), provenance=PROVENANCE)
    assert current(written) == (2, Origin.WRITTEN)


@pytest.mark.req("P9", "P10")
def test_what_the_editor_made_of_a_persons_words_stays_with_what_a_machine_writes_anew(
    written: Story,
) -> None:
    regenerate(written, replace_edited=True)
    written.drafted("research", WORDS)
    written.validated("research")
    written.when(asking.revise(written.asked(), "research", 2, ref("shorter")))
    written.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    assert current(written) == (3, Origin.REVISED)
    written.validated("research")
    regenerate(written, replace_edited=False, version=3)
    written.drafted("research", "the machine's text", merged("both texts", "the machine's text"))
    assert current(written) == (4, Origin.GENERATED)
    assert written.document.sections["research"].versions[-1].is_a_persons
    written.validated("research")
    regenerate(written, replace_edited=True, version=4)
    written.drafted("research", "the machine's text")
    assert not written.document.sections["research"].versions[-1].is_a_persons


def test_what_the_editor_made_of_a_generated_text_is_the_machines(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), summary=ref("cut"), provenance=PROVENANCE)
    assert not begun.document.sections["research"].versions[-1].is_a_persons


def test_a_regeneration_with_other_words_is_the_machines(written: Story) -> None:
    regenerate(written, replace_edited=True)
    written.drafted("research", "the machine's text")
    assert current(written) == (3, Origin.GENERATED)
