"""A pytest plugin: what is skipped has failed, and how fast the machine is decides no property test.

The short form tries fewer examples.
"""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PROFILE = "stemma"
SHORT_FORM = "not full"
"""What pytest is told to select where the long forms of tests are left out."""
USUAL = 100
"""So many examples are tried by a test that does not say how many, in its long form."""
PART = 4
"""The short form tries one of so many."""


def pytest_configure(config: pytest.Config) -> None:
    number = USUAL // PART if config.option.markexpr == SHORT_FORM else USUAL
    slow = [HealthCheck.too_slow]
    settings.register_profile(PROFILE, deadline=None, suppress_health_check=slow, print_blob=True, max_examples=number)
    settings.load_profile(PROFILE)


def examples(number: int) -> settings:
    return settings(max_examples=number * settings().max_examples // USUAL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Turn the report of a skipped test into a failure."""
    return _failed((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Turn the report of a skipped module into a failure."""
    return _failed((yield))


def _failed(report: Any) -> Any:
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which counts as a failure here: {report.longrepr}"
    return report
