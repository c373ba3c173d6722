"""Whatever people and workers do, in whatever order: no human word is overwritten unasked.

The bookkeeper knows nothing of origins: it hears what is asked and what is answered, and sees the texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import domain_asking as asking
import pytest
from domain_design import Design
from domain_story import DOCUMENT, PROVENANCE, TENANT, Story, evaluation, merged, ref, validation
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.base import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.requests import SeenVersion
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.commands import Asked, Command, Record
from stemma_domain.decide import decide
from stemma_domain.features.proposals import Proposed
from stemma_domain.state import Section
from stemma_domain.work import open_jobs
from stemma_testkit.property_tests import examples

Step = tuple[str, int, int, bool]
VERBS = [
    *["work"] * 8,
    *["approve", "write", "edit", "regenerate"] * 3,
    *["accept", "revise", "cycle"] * 2,
    *["restore", "retry", "regenerate several"],
]
STEPS = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 20), st.integers(0, 20), st.booleans()),
    min_size=30,
    max_size=60,
)
MOST_WORK = 4


@dataclass
class Hand:
    """Whether a section holds human words, and whether a person said that they may be replaced."""

    human: bool = False
    may_be_replaced: bool = False


def gives_a_text(command: Command, name: str) -> bool:
    """Whether it makes the text of a section a person's."""
    match command.request if isinstance(command, Asked) else None:
        case (r.EditSection(instruction=None) | r.RestoreSection() | r.AcceptEdit()) as request:
            return request.section_id == name
        case _:
            return False


class Bookkeeper:
    """Drives a document, and holds every text that a machine gives against what people said."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.hands = {name: Hand() for name in story.document.sections}

    def step(self, step: Step) -> None:
        """Something that a person asks for, or that workers say: mostly all that they have to say."""
        if step[0] != "work":
            self._do(self._asked(step))
            return
        for _ in range(1 if step[2] % 4 == 0 else MOST_WORK):
            self._do(self._outcome(step))

    def _do(self, command: Command | None) -> None:
        if command is None:
            return
        before = {name: _words(section) for name, section in self.story.document.sections.items()}
        events = self.story.when(command).events
        if not events or isinstance(events[0], e.DecisionRefused | e.OutcomeSuperseded):
            return
        self._hear(command, before, events)

    def _hear(self, command: Command, before: dict[str, str | None], events: Sequence[Contract]) -> None:
        for name in self._may_now_be_replaced(command):
            self.hands[name].may_be_replaced = True
        for name, section in self.story.document.sections.items():
            hand, words = self.hands[name], _words(section)
            if gives_a_text(command, name):
                self.hands[name] = Hand(human=True)
            elif words != before[name]:
                self.hands[name] = self._after(command, name, hand, events)

    def _after(self, command: Command, name: str, hand: Hand, events: Sequence[Contract]) -> Hand:
        """What the words are that a worker put in the place of others."""
        assert isinstance(command, Record), f"{command} changed {name}"
        assert command.outcome.section_id == name
        if isinstance(command.outcome, o.DraftRevised):
            # A person asked for this change of these words; an edit is settled by that.
            settled = any(isinstance(event, e.SectionEdited) for event in events)
            return Hand(human=hand.human or settled)
        both = command.merged is not None and _words(self.story.document.sections[name]) == command.merged.draft.digest
        assert both or not hand.human or hand.may_be_replaced, f"human words of {name} were overwritten unasked"
        # An edit that a person asked for and that changed no word leaves the text a person's.
        return Hand(human=both)

    def _may_now_be_replaced(self, command: Command) -> tuple[str, ...]:
        match command.request if isinstance(command, Asked) else None:
            case r.RegenerateSection(replace_edited=True) as request:
                return (request.section_id,)
            case r.RegenerateSections(replace_edited=True) as request:
                return tuple(seen.section_id for seen in request.sections)
            case r.ReviseSection(cycle=True, replace_edited=True):
                return tuple(self.story.document.sections)
            case _:
                return ()

    def _asked(self, step: Step) -> Command | None:
        """Mostly something that will be done, if there is a section that it can be done to."""
        verb, which, choice, _ = step
        if verb == "cycle":
            return self._cycle(step[3])
        names = list(self.story.document.sections)
        first = which % len(names)
        commands = [self._about(name, step) for name in (*names[first:], *names[:first])]
        if choice % 4 == 0:
            return commands[0]
        return next((command for command in commands if not self._is_refused(command)), commands[0])

    def _is_refused(self, command: Command) -> bool:
        return isinstance(decide(command, self.story.state)[0], e.DecisionRefused)

    def _about(self, name: str, step: Step) -> Command:
        verb, which, choice, flag = step
        sections = self.story.document.sections
        version, words = sections[name].current_number, ref(f"{name} {choice % 6}")
        proposal = sections[name].proposal
        match verb:
            case "approve":
                return asking.approve(self.story.asked(), name, version)
            case "write":
                return asking.write(self.story.asked(), name, version, words)
            case "edit":
                return asking.edit(self.story.asked(), name, version, words)
            case "accept":
                proposal_id = proposal.proposal_id if isinstance(proposal, Proposed) else "nothing"
                return asking.accept(self.story.asked(), name, version, proposal_id)
            case "revise":
                return asking.revise(self.story.asked(), name, version, words)
            case "restore":
                return asking.restore(self.story.asked(), name, version, 1 + choice % max(1, version))
            case "retry":
                return asking.retry(self.story.asked(), name)
            case "regenerate":
                return asking.regenerate(self.story.asked(), name, version, None, flag)
            case _:
                seen = tuple(_seen(section) for section in sections.values())
                return asking.regenerate_several(self.story.asked(), seen[which % 2 :], None, flag)

    def _cycle(self, flag: bool) -> Command | None:
        cycle = self.story.document.cycle
        if cycle is None:
            return None
        final = self.story.document.sections[cycle.plan.final_section]
        name, version = final.plan.section_id, final.current_number
        return asking.revise(self.story.asked(), name, version, ref("all anew"), cycle=True, replace_edited=flag)

    def _outcome(self, step: Step) -> Command | None:
        _, which, choice, good = step
        jobs = open_jobs(self.story.state)
        if not jobs:
            return None
        said = self._said(jobs[which % len(jobs)], choice, good)
        theirs = f"{said.section_id} {choice % 6}"
        made = merged(f"{theirs} with a person's words", theirs)
        section = self.story.document.sections.get(said.section_id or "")
        return Record(said, replace(made, ours=section.current.draft if section and section.current else None))

    def _said(self, job: j.Job, choice: int, good: bool) -> o.Outcome:
        section_id = job.section.section_id if isinstance(job, j.SectionJob) else None
        about: dict[str, Any] = {
            "tenant": TENANT,
            "document_id": DOCUMENT,
            "job_id": job.job_id,
            "section_id": section_id,
        }
        if choice == 0:
            return o.JobDead(**about)
        draft = ref(f"{section_id} {choice % 6}")
        match job:
            case j.GenerateSection():
                reviews = self.story.document.cycle is not None and section_id == "review_feedback"
                verdict = ReviewVerdict(needs_revision=good) if reviews else None
                judged = evaluation(passed=good or reviews)
                return o.SectionGenerated(
                    **about, draft=draft, evaluation=judged, provenance=PROVENANCE, review=verdict
                )
            case j.ReviseDraft():
                return o.DraftRevised(**about, draft=draft, summary=ref("cut"), provenance=PROVENANCE)
            case j.ValidateDraft():
                return o.DraftValidated(**about, validation=validation(good))
            case _:
                return o.DraftEvaluated(**about, evaluation=evaluation(passed=good), provenance=PROVENANCE)


def _words(section: Section) -> str | None:
    return section.current.draft.digest if section.current else None


def _seen(section: Section) -> SeenVersion:
    return SeenVersion(section_id=section.plan.section_id, version=max(1, section.current_number))


def pair(by_policy: bool, edits: str) -> Story:
    story = Story()
    mode = ReviewMode.NONE if by_policy else ReviewMode.HUMAN
    story.create(
        {"research": (), "solution": ("research",)}, ReviewPolicy(mode=mode), review_edits=edits, max_lint_rounds=1
    )
    return story


def reviewed_in_cycles() -> Story:
    design = Design()
    design.begin()
    design.draft_all()
    return design


@pytest.mark.req("P9", "P10")
@examples(60)
@given(st.booleans(), st.sampled_from(["human", "none"]), STEPS)
def test_no_human_word_is_overwritten_unasked(by_policy: bool, edits: str, steps: list[Step]) -> None:
    bookkeeper = Bookkeeper(pair(by_policy, edits))
    for step in steps:
        bookkeeper.step(step)


@pytest.mark.req("P9", "D3", "D6")
@examples(60)
@given(STEPS)
def test_no_human_word_is_overwritten_unasked_by_a_review(steps: list[Step]) -> None:
    bookkeeper = Bookkeeper(reviewed_in_cycles())
    for step in steps:
        bookkeeper.step(step)
