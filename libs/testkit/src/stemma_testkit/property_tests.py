"""A pytest plugin: how fast the machine is decides no property test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

PROFILE = "stemma"

settings.register_profile(PROFILE, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile(PROFILE)
