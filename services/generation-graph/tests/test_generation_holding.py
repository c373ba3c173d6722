"""How often a section under way holds what it is written from."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from generation_workshop import Workshop, evaluation

DRAFT = "# Approach\n\nWe build the ferry.\n"
BRIEF = "# Brief\n\n" + "A ferry for 40 people by May. " * 700


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def briefs_held() -> int:
    """Texts with the brief in them that were made since tracing began, by their size; what else is large is larger."""
    sizes = (trace.size for trace in tracemalloc.take_snapshot().traces)
    return sum(len(BRIEF) < size < 1.5 * len(BRIEF) for size in sizes)


@pytest.mark.req("E1")
async def test_what_a_section_is_written_from_is_held_once_and_while_it_is_judged_twice(
    workshop: Workshop, request: pytest.FixtureRequest
) -> None:
    held = list[int]()

    def answers(text: str) -> Callable[[object], str]:
        def answer(_: object) -> str:
            held.append(briefs_held())
            return text

        return answer

    job = await workshop.job("approach", brief=await workshop.store(BRIEF))
    # What reads a brief for the first time is remembered, with the brief.
    await workshop.run(job, [DRAFT, evaluation("approach")])
    again = job.model_copy(update={"job_id": "doc.2.generate-section.approach", "thread_id": "another"})
    request.getfixturevalue("traced")
    await workshop.run(again, [answers(DRAFT), answers(evaluation("approach"))])
    assert held == [1, 2]
