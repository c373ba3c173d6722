"""The fixtures of callers."""

from __future__ import annotations

from stemma_testkit.backstage import *  # noqa: F403
