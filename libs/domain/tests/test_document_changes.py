from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.section import Activity, SectionPlan, SectionStatus
from stemma_contracts.v1.staleness import StaleMark, StaleReason, UpstreamVersion
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import held_up_by, in_order, waiting_for
from stemma_testkit.document_events import CREATED_AT, REF, SUMMARY, job

CLEAN = ValidationSummary(passed=True, issue_count=0, engine="rumdl", engine_version="1")
REASON = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
MARK = StaleMark(section_id="solution", reasons=(REASON,))
WRITTEN = e.SectionEdited(
    section_id="research", version=2, draft=REF, origin=Origin.WRITTEN, actor="ana", makes_stale=(MARK,)
)
ASKED = e.SectionEditRequested(section_id="research", version=1, instruction=REF, actor="ana")
RESTS_ON_2 = (UpstreamVersion(section_id="research", version=2),)


@pytest.fixture
def settled(drafted: Any) -> list[Any]:
    """Both sections are approved in version 1."""
    return [
        drafted("research"),
        e.SectionApproved(section_id="research", version=1, starts=("solution",)),
        drafted("solution"),
        e.SectionApproved(section_id="solution", version=1),
        e.DocumentCompleted(),
    ]


def section(view: DocumentView, name: str) -> SectionView:
    return view.sections[name]


@pytest.mark.req("P9", "P18")
def test_a_text_of_a_person_settles_the_section_and_makes_its_dependents_stale(after: Any, settled: Any) -> None:
    view = after(*settled, WRITTEN)

    research, solution = section(view, "research"), section(view, "solution")
    assert (research.status, research.version, research.draft) == (SectionStatus.EDITED, 2, REF)
    assert (solution.status, solution.waits, solution.stale_reasons) == (SectionStatus.APPROVED, True, (REASON,))
    assert solution.stale is not None
    assert (solution.stale.sequence, solution.stale.cause) == (7, "research")
    assert solution.stale.since == view.created_at + timedelta(minutes=7)
    assert view.status is DocumentStatus.RUNNING


def test_every_version_is_known_with_its_text_its_origin_who_made_it_and_when(after: Any, settled: Any) -> None:
    edited = e.SectionEdited(
        section_id="research",
        version=3,
        draft=SUMMARY,
        origin=Origin.EDITED,
        job_id="j",
        summary=SUMMARY,
        provenance=Provenance(model="offline"),
    )
    asked = ASKED.model_copy(update={"actor": "ben", "version": 2})

    versions = section(after(*settled, WRITTEN, asked, edited), "research").versions

    assert [(v.number, v.origin, v.made_by, v.model) for v in versions] == [
        (1, Origin.GENERATED, "offline", "offline"),
        (2, Origin.WRITTEN, "ana", ""),
        (3, Origin.EDITED, "ben", "offline"),
    ]
    assert [v.summary for v in versions] == [None, None, SUMMARY]
    assert [v.made_at for v in versions] == [CREATED_AT + timedelta(minutes=n) for n in (2, 7, 9)]
    assert [v.is_a_persons for v in versions] == [False, True, True]


def test_a_revision_is_known_by_who_asked_for_it(after: Any, drafted: Any) -> None:
    asked = e.SectionRevisionRequested(section_id="research", version=1, feedback=REF, actor="ana")
    revised = e.SectionRevised(
        section_id="research", job_id="j", version=2, draft=REF, summary=SUMMARY, provenance=Provenance(model="m")
    )

    research = section(after(drafted("research"), asked, revised), "research")

    assert research.current is not None
    assert (research.current.origin, research.current.made_by, research.checks) == (
        Origin.REVISED,
        "ana",
        (Activity.EVALUATE,),
    )


@pytest.mark.req("P9")
def test_a_refused_instruction_leaves_the_section_as_it_was(after: Any, settled: Any) -> None:
    refused = e.SectionRevisionRefused(section_id="research", job_id="j", version=1, reason=SUMMARY)

    during, done = after(*settled, ASKED), after(*settled, ASKED, refused)

    assert (section(during, "research").activity, during.at_work, during.status) == (
        Activity.EDIT,
        True,
        DocumentStatus.RUNNING,
    )
    research = section(done, "research")
    assert (research.status, research.version, research.refusal) == (SectionStatus.APPROVED, 1, SUMMARY)


@pytest.mark.req("P10")
def test_a_kept_section_is_fresh_again_and_says_against_what(after: Any, settled: Any) -> None:
    kept = e.SectionKept(section_id="solution", version=1, accepted=RESTS_ON_2, clears_stale=("solution",))

    solution = section(after(*settled, WRITTEN, kept), "solution")

    assert solution.current is not None
    assert (solution.status, solution.stale, solution.waits) == (SectionStatus.APPROVED, None, False)
    assert solution.current.kept_against == solution.current.rests_on == RESTS_ON_2


def test_a_persons_words_that_a_machine_came_to_again_stay_the_persons(after: Any, settled: Any, drafted: Any) -> None:
    asked = e.SectionRegenerationRequested(section_id="research", version=2, starts=("research",))
    again = drafted("research").model_copy(update={"version": 2, "draft": REF})

    current = section(after(*settled, WRITTEN, asked, again), "research").current

    assert current is not None
    assert (current.number, current.origin, current.made_by) == (2, Origin.WRITTEN, "ana")


def test_a_restored_version_is_a_new_one_on_the_ground_of_the_old(after: Any, settled: Any) -> None:
    restored = e.SectionRestored(
        section_id="research", version=3, restored_version=1, draft=SUMMARY.model_copy(update={"digest": "a" * 64})
    )

    research = section(after(*settled, WRITTEN, restored), "research")

    assert research.current is not None
    assert (research.version, research.current.origin, research.current.restored_version) == (3, Origin.RESTORED, 1)
    assert research.draft == research.versions[0].draft
    assert research.evaluation == research.versions[0].evaluation


def test_the_checks_of_an_edited_text_are_waited_for_and_block_nothing(after: Any, settled: Any) -> None:
    linted = e.SectionChecked(section_id="research", job_id=job(7, "validate", "research"), version=2, validation=CLEAN)
    scored = e.SectionChecked(
        section_id="research",
        job_id=job(7, "evaluate", "research"),
        version=2,
        evaluation=Evaluation(scores={}, score=0.5, passed=False),
    )

    views = [after(*settled, WRITTEN), after(*settled, WRITTEN, linted), after(*settled, WRITTEN, linted, scored)]

    assert [v.checking for v in views] == [True, True, False]
    research = section(views[-1], "research")
    assert (research.status, research.validation, research.evaluation) == (
        SectionStatus.EDITED,
        CLEAN,
        scored.evaluation,
    )


def test_a_check_that_fails_is_told_and_changes_no_status(after: Any, settled: Any) -> None:
    dead = e.SectionJobDead(
        section_id="research",
        job_id=job(7, "evaluate", "research"),
        activity=Activity.EVALUATE,
        status=SectionStatus.EDITED,
        detail="oops",
    )

    research = section(after(*settled, WRITTEN, dead), "research")

    assert (research.status, research.failure) == (SectionStatus.EDITED, "evaluate: dead letter: oops")
    assert research.checks == (Activity.VALIDATE,)


@pytest.fixture
def diamond(requested: Any) -> e.DocumentRequested:
    upstream: dict[str, tuple[str, ...]] = {"a": (), "b": ("a",), "c": ("a",), "d": ("c", "b"), "e": ()}
    plans = tuple(
        SectionPlan(section_id=name, title=name, kind=name, graph="section", depends_on=up)
        for name, up in upstream.items()
    )
    made: e.DocumentRequested = requested.model_copy(update={"sections": plans, "starts": ("a", "e")})
    return made


def test_what_waits_for_a_section_is_counted_through_others_and_only_once(after: Any, diamond: Any) -> None:
    view = after(diamond)

    assert waiting_for(view, "a") == {"b", "c", "d"}
    assert waiting_for(view, "b") == {"d"}
    assert waiting_for(view, "e") == frozenset()


def test_a_section_that_is_settled_and_fresh_waits_for_nothing(after: Any, settled: Any) -> None:
    assert waiting_for(after(*settled), "research") == frozenset()
    assert waiting_for(after(*settled, WRITTEN), "research") == {"solution"}


def test_a_map_is_told_with_every_section_once_below_one_that_it_rests_on(after: Any, diamond: Any) -> None:
    told = [(s.section_id, depth) for s, depth in in_order(after(diamond))]

    assert told == [("a", 0), ("b", 1), ("d", 2), ("c", 1), ("e", 0)]


def test_a_map_of_many_full_levels_is_told_at_once(after: Any, requested: Any) -> None:
    plans = tuple(
        SectionPlan(
            section_id=f"s{level}-{n}",
            title="s",
            kind="s",
            graph="section",
            depends_on=(f"s{level - 1}-0", f"s{level - 1}-1") if level else (),
        )
        for level in range(50)
        for n in range(2)
    )

    assert len(list(in_order(after(requested.model_copy(update={"sections": plans, "starts": ()}))))) == 100


@pytest.mark.req("P10")
def test_a_queued_section_is_held_up_by_what_is_stale_or_not_settled_and_no_other_section_is(
    after: Any, settled: Any
) -> None:
    anew = e.SectionRegenerationRequested(section_id="solution", version=1, actor="ana")
    asked = e.SectionRegenerationRequested(section_id="research", version=1, actor="ana")
    held = {}
    for name, events in {"settled": [anew], "not": [anew, asked], "other": []}.items():
        view = after(*settled, *events)
        held[name] = [upstream.section_id for upstream in held_up_by(view, "solution")]
    assert held == {"settled": [], "not": ["research"], "other": []}
