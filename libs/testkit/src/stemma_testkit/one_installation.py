"""A pytest plugin: tests that share one installation run in one worker, so that it is started once.

So do those that read all sources, so that these are parsed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

SHARING = "tests/e2e/"
"""The folder whose session fixture is an installation of all services."""
SHARED = "stemma"
"""That fixture."""
PARSING = "tests/architecture/"
"""The folder whose files parse the sources."""


def scope_of(nodeid: str) -> str:
    """What a worker runs as a whole: a file, or the folder whose files share an installation."""
    return next((folder for folder in (SHARING, PARSING) if nodeid.startswith(folder)), file_of(nodeid))


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.split("::", 1)[0]


def scopes_of(items: Sequence[pytest.Item]) -> list[str]:
    """The same of each test, where it is known what each uses: a file whose tests do not share is by itself."""
    files = [file_of(item.nodeid) for item in items]
    sharing = {file for file, item in zip(files, items, strict=True) if SHARED in getattr(item, "fixturenames", ())}
    return [scope_of(file) if file in sharing or file.startswith(PARSING) else file for file in files]


class OneInstallation(LoadFileScheduling):  # type: ignore[misc]
    """A file goes to one worker, and so does the folder whose files share an installation."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneInstallation | None:
    """Distribute by file and installation where files are asked for; every other distribution is as it was."""
    return OneInstallation(config, log) if config.getoption("dist") == "loadfile" else None
