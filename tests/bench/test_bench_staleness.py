"""Edits of a public specification make stale what they concern, and little else."""

import pytest
from bench_staleness import LEAST_GAIN, commits, replayed

pytestmark = pytest.mark.req("L3")


async def test_a_mended_word_makes_nothing_stale_and_another_number_its_users() -> None:
    found = await replayed(commits(only={"b8e72b5", "63f9aeb"}))
    assert found.stale == found.concerned == {("63f9aeb", name) for name in ("json", "http", "mqtt", "amqp", "primer")}


@pytest.mark.full
async def test_no_document_that_an_edit_concerns_is_missed_and_a_third_as_many_others_are_marked() -> None:
    found = await replayed(commits())
    print(
        f"recall {found.recall:.3f}, precision {found.precision:.3f}, of whole sections {found.precision_of_whole:.3f}"
    )
    assert found.missed == frozenset()
    assert found.precision >= LEAST_GAIN * found.precision_of_whole
