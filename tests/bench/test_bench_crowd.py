from __future__ import annotations

import pytest
from bench_crowd import CHAIN, SETTINGS, Crowd, Found, in_flight
from bench_installation import installation
from bench_workload import caller


def test_a_crowd_is_as_late_as_all_but_its_slowest_hundredth() -> None:
    found = Found([10.0] * 98 + [12.0, 99.0], {"nats": 50.0}, {"nats": 80.0}, {})
    assert Crowd(100, 2, 5.0).ideal_s == 10.0
    assert found.late(10.0) == 1.2
    assert found.mb_each() == {"nats": 0.3}


@pytest.mark.full
async def test_a_small_crowd_is_in_flight_together_and_ends() -> None:
    size = Crowd(4, 2 * len(CHAIN), 0.5)
    async with installation(milliseconds=500, env=SETTINGS) as running, caller(running) as calling:
        found = await in_flight(running, calling, size)
    assert len(found.seconds) == size.documents
    assert min(found.seconds) >= size.ideal_s
    assert set(found.cpu_ms) == set(found.in_flight_mb)
