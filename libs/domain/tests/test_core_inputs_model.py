"""Whatever is given, replaced, staged, dropped and read, in whatever order: all can be read, and no input is lost."""

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, about, evaluation, ref, validation
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.inputs import BRIEF, InputReading, Unreadable, UsedInput
from stemma_contracts.v1.references import InputFile, InputRole
from stemma_domain.commands import Command, Record
from stemma_domain.decide import decide
from stemma_domain.features.inputs.material import evidence_of, manner_of, pictures_of
from stemma_domain.state import Document
from stemma_domain.view import view_of
from stemma_testkit.property_tests import examples

VERBS = [*["work"] * 10, *["add", "replace", "apply", "withdraw", "role"] * 4, "ledger", "pause", "resume", "cancel"]
STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 9), st.integers(0, 9), st.booleans())
STEPS = st.lists(STEP, min_size=10, max_size=50)
Step = tuple[str, int, int, bool]
NAMES = ("letter.eml", "plan.pdf", "prices.xlsx")
ROLES: tuple[InputRole, ...] = ("request", "evidence", "past-text")
LOCKED = Unreadable(reason="password", detail="It is locked.")


def asked_for(story: Story, step: Step) -> Command:
    """What a person asks for: of an input that there is, mostly by the version that they see."""
    verb, which, choice, staged = step
    asked = story.asked()
    there = list(story.document.inputs.values())
    one = there[which % len(there)]
    seen = one.pending.number if one.pending and one.pending.staged and verb != "replace" else one.version
    version = seen + (choice == 9)
    why = LOCKED if choice == 8 else None
    match verb:
        case "add":
            file = InputFile(name=NAMES[which % 3], artifact=ref(f"{which} {choice}"), role=ROLES[choice % 3])
            return asking.add_input(asked, file, to_read=why is None, staged=staged, unreadable=why)
        case "replace":
            return asking.replace_input(asked, one.input_id, version, ref(f"{choice}"), choice > 5, staged, why)
        case "apply":
            return asking.apply_input(asked, one.input_id, version)
        case "withdraw":
            return asking.withdraw_input(asked, one.input_id, version)
        case "role":
            return asking.set_role(asked, one.input_id, one.version, ("form", "internal", *ROLES)[choice % 5])
        case "ledger":
            return asking.read_ledger(asked, NAMES[: choice % 3])
        case "pause":
            return asking.pause(asked)
        case "resume":
            return asking.resume(asked)
        case _:
            return asking.cancel(asked)


def outcome(job: j.Job, choice: int) -> o.Outcome:
    """What a worker says of a job."""
    said = about(job)
    if choice == 9:
        return o.JobDead(**said)
    match job:
        case j.ReadInput() if choice == 8:
            return o.InputUnreadable(**said, unreadable=LOCKED)
        case j.ReadInput():
            children = [InputFile(name=f"{job.name} {n}", artifact=ref(f"{n} {choice}")) for n in range(choice % 3)]
            return o.InputRead(**said, reading=InputReading(text=ref(f"read {choice}")), children=tuple(children))
        case j.GenerateSection():
            return o.SectionGenerated(**said, draft=ref("text"), evaluation=evaluation(), provenance=PROVENANCE)
        case j.ValidateDraft():
            used = tuple(UsedInput(input_id=f"input-{n}", whole=True) for n in range(1, choice))
            return o.DraftValidated(**said, validation=validation().model_copy(update={"used": used}))
        case _:
            return o.JobDead(**said)


def command_of(story: Story, step: Step) -> Command | None:
    verb, which, choice, _ = step
    if verb != "work":
        return asked_for(story, step)
    jobs = sorted(story.open_jobs().items())
    return Record(outcome(jobs[which % len(jobs)][1], choice)) if jobs else None


def taken(story: Story, step: Step) -> None:
    command = command_of(story, step)
    if command is not None:
        story.when(command)
        assert list(decide(command, story.state)) == [], "deciding again gives nothing"


def assert_all_can_be_read(document: Document, counted: set[str]) -> None:
    """What is told of a document names every input that ever counted, and workers are given nothing else."""
    view = view_of(document)
    assert counted <= {one.input_id for one in view.input_views}
    files = (*evidence_of(document), *manner_of(document), *pictures_of(document), *view.inputs)
    given = {file.input_id for file in files} - {None}
    assert given <= counted
    assert {one.input_id for one in view.input_views if one.state == "withdrawn"}.isdisjoint(given)


@pytest.mark.req("I4", "I1")
@examples(30)
@given(st.booleans(), STEPS)
def test_whatever_becomes_of_inputs_the_document_can_be_read_and_those_that_counted_are_there(
    reads: bool, steps: list[Step]
) -> None:
    story = Story()
    begin(story, reads=reads)
    counted: set[str] = set()
    for step in steps:
        taken(story, step)
        counted |= {one.input_id for one in story.document.inputs.values() if one.contents}
        assert_all_can_be_read(story.document, counted)


def begin(story: Story, *, reads: bool) -> None:
    story.create()
    if reads:
        story.when(
            asking.replace_input(story.asked(), BRIEF, 1, ref("brief", "application/pdf"), is_text=False, staged=False)
        )
