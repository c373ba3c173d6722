"""Whatever people and workers do, in whatever order: the core does what the naive model says, and loses no word."""

from dataclasses import replace

import domain_asking as asking
import pytest
from domain_naive import Ask
from domain_run import STEPS, Run, Step, dependency_maps
from domain_story import Story, ref
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1 import events as e
from stemma_domain.decide import decide
from stemma_domain.state import State
from stemma_testkit.plugin import examples


@pytest.mark.req("P9", "P10", "P18")
@examples(100)
@given(dependency_maps(), st.booleans(), st.booleans(), st.booleans(), STEPS)
def test_the_core_does_what_the_naive_model_says_and_each_text_of_a_person_can_be_restored(
    dependencies: dict[str, tuple[str, ...]], by_policy: bool, proposes: bool, settled: bool, steps: list[Step]
) -> None:
    run = Run(dependencies, by_policy, proposes)
    if settled:
        run.settle()
    written: set[tuple[str, str]] = set()
    for step in steps:
        move = run.step(step)
        accepted = not isinstance(run.story.history[-1], e.DecisionRefused)
        if isinstance(move, Ask) and move.verb == "write" and accepted:
            written.add((move.section, move.words))
    assert all(reachable(run.story, name, words) for name, words in written)


def reachable(story: Story, name: str, words: str) -> bool:
    """Whether a text is current, or a restore of its version would bring just it back."""
    section = story.document.sections[name]
    numbers = [version.number for version in section.versions if version.draft.digest == ref(words).digest]
    if section.current_number in numbers:
        return True
    restores = (asking.restore(story.asked(), name, section.current_number, number) for number in numbers)
    return any(restored(event, words) for command in restores for event in decide(command, open_again(story)))


def restored(event: e.AnyEvent, words: str) -> bool:
    return isinstance(event, e.SectionRestored) and event.draft.digest == ref(words).digest


def open_again(story: Story) -> State:
    """A cancelled document takes no restore; its texts are still there."""
    document = story.document
    return replace(document, lifecycle=type(document.lifecycle).RUNNING)
