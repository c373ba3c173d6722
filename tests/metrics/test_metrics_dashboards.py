"""Each query of the dashboards returns what a run did, on a real Prometheus that asked the services."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from metrics_panels import Query, queries
from metrics_plant import Plant, plant
from metrics_run import MEASURED_WITHIN_S, NOTHING, SHOWN, Expected, a_run

pytestmark = pytest.mark.req("O2")
QUERIES = {query.name: query for query in queries()}
LOOK_EVERY_S = 0.5
Series = Mapping[tuple[str, ...], float]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ran(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Plant]:
    folder: Path = tmp_path_factory.mktemp("dashboards")
    async with plant(folder) as running, a_run(running):
        yield running


async def shown(running: Plant, query: Query) -> Series:
    """What a query returns now, by the values of the labels in the order of their names."""
    found = await running.prometheus.query(query.sent())
    return {tuple(value for _, value in sorted(labels)): number for labels, number in found.items()}


def fits(found: Series, expected: Expected) -> bool:
    """Whether all that is expected is there with its number."""
    for labels, number in expected.items():
        value = found.get(labels)
        if value is None or not (number(value) if callable(number) else value == pytest.approx(number)):
            return False
    return bool(found) == bool(expected)


def test_of_every_query_it_is_known_what_it_has_to_return() -> None:
    assert QUERIES.keys() == SHOWN.keys() | NOTHING.keys()
    assert not SHOWN.keys() & NOTHING.keys()


def test_what_is_not_shown_and_what_is_shown_otherwise_is_found() -> None:
    assert fits({("a",): 2, ("b",): 1}, {("a",): 2})
    assert not fits({("a",): 1}, {("a",): 2})
    assert not fits({("b",): 2}, {("a",): 2})
    assert not fits({("a",): 2}, {})


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", QUERIES)
async def test_a_query_returns_what_the_run_did(ran: Plant, name: str) -> None:
    expected = SHOWN.get(name, {})
    found = await shown(ran, QUERIES[name])
    try:
        async with asyncio.timeout(MEASURED_WITHIN_S):
            while not fits(found, expected):
                await asyncio.sleep(LOOK_EVERY_S)
                found = await shown(ran, QUERIES[name])
    except TimeoutError:
        pytest.fail(f"{expected} expected, {dict(found)} found")
