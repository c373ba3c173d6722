from __future__ import annotations

from dataclasses import replace

from fleet_model import CALLS, CORES, DISK, Disk, Document, Fleet, Limit, cores_for, limits, what_then

DOCUMENT = Document(
    cpu_ms={"validator": 100, "orchestrator": 50, "nats": 50}, stored={"EVENTS": 40, "JOBS": 10}, calls=16
)
FAST = Disk(one_stream=1e6, all_streams=1e6)


def test_the_service_that_takes_most_cpu_limits_a_fleet_with_cores_enough() -> None:
    first, second, *_ = limits(DOCUMENT, Fleet(processes=2, cores=100), FAST)
    assert first == Limit("validator", 20)
    assert second == Limit("orchestrator", 40)


def test_more_processes_do_no_more_than_the_cores_can() -> None:
    assert limits(DOCUMENT, Fleet(processes=64, cores=2), FAST)[0] == Limit(CORES, 10)


def test_slow_calls_limit_a_fleet_by_the_slots_that_a_crowd_may_have() -> None:
    slow = Fleet(processes=4, cores=100, slots=16, call_s=20)
    assert limits(DOCUMENT, slow, FAST)[0] == Limit(CALLS, 4 * 12 / 320)
    assert CALLS not in dict(limits(DOCUMENT, replace(slow, call_s=0), FAST))


def test_a_disk_limits_by_its_busiest_stream_or_by_all_of_them() -> None:
    large = Fleet(processes=1000, cores=10_000)
    assert limits(DOCUMENT, large, Disk(one_stream=400, all_streams=1e6))[0] == Limit(DISK, 10)
    assert limits(DOCUMENT, large, Disk(one_stream=400, all_streams=250))[0] == Limit(DISK, 5)


def test_the_cores_that_a_rate_takes_are_those_that_limit_it() -> None:
    rate = limits(DOCUMENT, Fleet(processes=64, cores=7), FAST)[0].per_s
    assert cores_for(DOCUMENT, rate) == 7


def test_what_further_processes_add_is_a_bound_that_no_number_of_them_passes() -> None:
    adding = replace(DOCUMENT, more_ms={"orchestrator": 50.0})
    assert limits(adding, Fleet(processes=1000, cores=100_000), FAST)[0].per_s <= 20
    assert cores_for(adding, 1, processes=3) == 0.3


def test_each_limit_has_something_that_helps() -> None:
    assert what_then("validator") == "more processes of validator"
    assert all(what_then(limit.part) for limit in limits(DOCUMENT, Fleet(1, 1, call_s=1), FAST))
