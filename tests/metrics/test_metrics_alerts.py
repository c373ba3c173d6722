"""Each alert is quiet while all is well and is fired by its fault, on a real Prometheus that watches real services."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
import yaml
from metrics_faults import FAULTS
from metrics_plant import Plant, plant
from metrics_scaling import RULES
from stemma_testkit.prometheus import Labels

pytestmark = pytest.mark.req("O2")
ALERTS = [
    rule["alert"]
    for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
    if "alert" in rule
]
CHANGES_WITHIN_S = 120.0
LOOK_EVERY_S = 0.5
FIRING = 'ALERTS{alertstate="firing"}'
LASTING = {"StemmaCostBudget"}
"""What was spent stays spent."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def watched(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Plant]:
    folder: Path = tmp_path_factory.mktemp("alerts")
    async with plant(folder) as running:
        yield running


@dataclass(frozen=True)
class Watch:
    """Which alerts of a group fire for what is expected."""

    running: Plant
    expected: Mapping[str, Mapping[str, str]]
    began: float = field(default_factory=time.monotonic)

    async def firing(self) -> set[str]:
        """The names of those that fire now."""
        return self._among(await self.running.prometheus.firing())

    async def fired(self) -> set[str]:
        """The names of those that have fired since it began."""
        since = int(time.monotonic() - self.began)
        return self._among(await self.running.prometheus.query(f"last_over_time({FIRING}[{since + 1}s])"))

    def _among(self, found: Iterable[Labels]) -> set[str]:
        about = {alert: {"alertname": alert, **labels}.items() for alert, labels in self.expected.items()}
        return {alert for alert, labels in about.items() if any(labels <= one for one in found)}

    async def have_fired(self) -> bool:
        """Whether each has."""
        return await self.fired() == self.expected.keys()

    async def have_ended(self) -> bool:
        """Whether none fires any more, but for what lasts."""
        return not await self.firing() - LASTING


def test_every_alert_has_a_fault() -> None:
    assert sorted(ALERTS) == sorted(alert for faults in FAULTS.values() for fault in faults for alert in fault.fires)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("group", FAULTS)
async def test_each_alert_is_quiet_before_its_fault_fired_by_it_and_ends_with_it(watched: Plant, group: str) -> None:
    watch = Watch(watched, {alert: labels for fault in FAULTS[group] for alert, labels in fault.fires.items()})
    assert await watch.firing() == set()
    async with AsyncExitStack() as stack:
        for fault in FAULTS[group]:
            await stack.enter_async_context(fault.deed(watched))
        await until(watch.have_fired, watch)
    await until(watch.have_ended, watch)


async def until(condition: Callable[[], Awaitable[bool]], watch: Watch) -> None:
    """Wait for it; what did not come is named."""
    try:
        async with asyncio.timeout(CHANGES_WITHIN_S):
            while not await condition():
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        pytest.fail(f"fired {sorted(await watch.fired())}, firing {sorted(await watch.firing())}")
