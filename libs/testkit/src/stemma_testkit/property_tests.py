"""A pytest plugin: how fast the machine is decides no property test, and the short form tries fewer examples."""

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
