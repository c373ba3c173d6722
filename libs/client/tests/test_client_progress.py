from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from stemma_client import DocumentView
from stemma_client.progress import elapsed, seconds_left, step_of, usual
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import ProcessingMetadata
from stemma_testkit.document_events import time_of

pytestmark = pytest.mark.req("E4")
After = Callable[..., DocumentView]


def took(seconds: float) -> ProcessingMetadata:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return ProcessingMetadata(started_at=at, finished_at=at, seconds=seconds)


def test_a_section_is_written_then_checked_then_rests(after: After, drafted: Any, reviewable: Any) -> None:
    told: list[Contract] = []
    steps = []
    for event in (None, drafted("research"), reviewable("research")):
        told += [event] if event else []
        section = after(*told).sections["research"]
        steps.append((step_of(section), section.activity_since is not None))
    assert steps == [("writing", True), ("checking", True), (None, False)]


def test_time_is_counted_from_the_event_that_began_the_activity(after: After) -> None:
    research = after(e.DocumentPaused()).sections["research"]
    assert research.activity_since == time_of(1)
    assert elapsed(research, research.activity_since + timedelta(seconds=40)) == 40
    assert elapsed(research, research.activity_since - timedelta(seconds=40)) == 0


def test_what_is_left_is_the_longest_chain_of_sections_that_wait_for_each_other(after: After, drafted: Any) -> None:
    view = after()
    now = view.sections["research"].activity_since
    assert now is not None
    kinds = {section.kind for section in view.sections.values()}
    levels = _levels(view)
    assert seconds_left(view, dict.fromkeys(kinds, 10.0), now + timedelta(seconds=4)) == 10.0 * levels - 4
    assert seconds_left(view, {next(iter(kinds)): 10.0}, now) == 10.0 * levels
    assert seconds_left(view, {}, now) is None


def _levels(view: DocumentView) -> int:
    def level(name: str) -> int:
        return 1 + max((level(one) for one in view.sections[name].depends_on), default=0)

    return max(map(level, view.sections))


def test_the_middle_of_what_is_known_of_a_kind_is_usual(after: After, drafted: Any) -> None:
    def view(seconds: float) -> DocumentView:
        return after(drafted("research").model_copy(update={"processing_metadata": took(seconds)}))

    kind = view(1).sections["research"].kind
    assert usual([view(5.0), view(1.0), view(90.0)]) == {kind: 5.0}
    assert usual([after()]) == {}
