from datetime import timedelta
from typing import Any

import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.section import Activity, SectionPlan
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.dependencies import held_up_by, in_order, waiting_for
from stemma_testkit.document_events import CREATED_AT, REF, SUMMARY

REASON = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
MARK = StaleMark(section_id="solution", reasons=(REASON,))
WRITTEN = e.SectionEdited(
    section_id="research", version=2, draft=REF, origin=Origin.WRITTEN, actor="ana", makes_stale=(MARK,)
)
ASKED = e.SectionEditRequested(section_id="research", version=1, instruction=REF, actor="ana")


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
