"""A pytest plugin: tests that share one installation run in one worker, so that it is started once."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

SHARING = "tests/e2e/"
"""The folder whose session fixture is an installation of all services."""


def scope_of(nodeid: str) -> str:
    """What a worker runs as a whole: a file, or the folder whose files share an installation."""
    return SHARING if nodeid.startswith(SHARING) else nodeid.split("::", 1)[0]


class OneInstallation(LoadFileScheduling):  # type: ignore[misc]
    """A file goes to one worker, and so does the folder whose files share an installation."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneInstallation | None:
    """Distribute by file and installation where files are asked for; every other distribution is as it was."""
    return OneInstallation(config, log) if config.getoption("dist") == "loadfile" else None
