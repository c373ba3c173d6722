"""Who reads the log of a document has the state that the orchestrator decides on, whatever is done.

`Story` compares both after every command, so that each test that drives one is a proof of it, too.
"""

from __future__ import annotations

from typing import Any, Literal

import domain_asking as asking
import pytest
from domain_design import EVERY, Design
from domain_naive import Ask
from domain_story import PROVENANCE, about, evaluation, ref, validation
from domain_witness import NEED, command_of
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_domain.commands import Asked, Record
from stemma_domain.view import view_of
from stemma_testkit.property_tests import examples

DECISIONS = ("approve", "write", "edit", "keep", "regenerate", "restore", "retry", "answer", "accept", "reject")
VERBS = [*["work"] * 25, *["cycle"] * 3, *DECISIONS, "export", "pause", "resume", "resume", "cancel"]
NEEDS: tuple[Literal["question", "validation", "conversion"], ...] = ("question", "validation", "conversion")
STEPS = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 20), st.integers(0, 9)), min_size=30, max_size=90)
Step = tuple[str, int, int]
ALL_IS_WELL: Step = ("work", 0, 0)


def taken(design: Design, step: Step) -> None:
    """One step: a worker ends a job, or a person asks for something."""
    verb, which, choice = step
    jobs = sorted(design.open_jobs())
    if verb != "work":
        design.when(asked_for(design, verb, EVERY[which % len(EVERY)], choice))
    elif jobs:
        design.when(Record(outcome(design.open_jobs()[jobs[which % len(jobs)]], choice)))


def asked_for(design: Design, verb: str, name: str, choice: int) -> Asked[Any]:
    section = design.document.sections[name]
    version = section.current_number
    if verb == "cycle":
        return asking.revise(
            design.asked(), name, version, ref("more", "text/plain"), cycle=True, replace_edited=choice > 4
        )
    proposals = {0: section.proposal.proposal_id} if section.proposal else {}
    number = 0 if verb in ("accept", "reject") else max(1, version - 1)
    ask = Ask(verb, name, version, f"{name} by a person {choice % 3}", number, replace=choice > 4)
    return command_of(ask, design.asked(), proposals)


def outcome(job: j.Job, choice: int) -> o.Outcome:
    """What a worker says of a job: that it is done, seven times of ten."""
    said = about(job)
    if choice == 9:
        return o.JobDead(**said)
    match job:
        case j.GenerateSection() | j.ResumeGraph():
            return _written(said, choice)
        case j.ReviseDraft() if choice == 8:
            return o.InstructionRefused(**said, reason=ref("no"))
        case j.ReviseDraft():
            return o.DraftRevised(**said, draft=ref(f"revised {choice}"), summary=ref("cut"), provenance=PROVENANCE)
        case j.ValidateDraft():
            return o.DraftValidated(**said, validation=validation(choice != 8))
        case j.EvaluateDraft():
            return o.DraftEvaluated(**said, evaluation=evaluation(passed=choice != 8), provenance=PROVENANCE)
        case j.ConvertDocument():
            return o.DocumentConverted(**said, artifact=ref("document"))
        case _:
            raise AssertionError(job)


def _written(about: dict[str, Any], choice: int) -> o.Outcome:
    if choice > 6:
        need = Need(need_id=NEED, kind=NEEDS[choice % 3], checkpoint_id="cp1", draft=ref("so far"))
        return o.GraphPaused(**about, thread_id=about["job_id"], need=need)
    verdict = ReviewVerdict(needs_revision=choice % 2 == 0) if about["section_id"] == "review_feedback" else None
    text = ref(f"{about['section_id']} {choice}")
    return o.SectionGenerated(**about, draft=text, evaluation=evaluation(), provenance=PROVENANCE, review=verdict)


@pytest.mark.req("P18", "D3")
@examples(60)
@given(st.sampled_from(list(ReviewMode)), st.integers(0, 40), STEPS)
def test_a_reader_knows_of_a_document_in_cycles_what_the_orchestrator_knows(
    mode: ReviewMode, ahead: int, steps: list[Step]
) -> None:
    design = Design()
    design.begin(ReviewPolicy(mode=mode))
    # Every review asks for a revision: further on it is gone on in spite of them.
    for step in [*[ALL_IS_WELL] * ahead, *steps]:
        taken(design, step)
    assert {name: one.status for name, one in view_of(design.document).sections.items()} == {
        name: design.status(name) for name in EVERY
    }
