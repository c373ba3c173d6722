"""The fixtures of callers."""

from stemma_testkit.backstage import *  # noqa: F403
