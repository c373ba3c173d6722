"""A pytest plugin: all copies of a test run start services by one launcher, which imports what they need once.

What services import that run in the copies themselves is there in each, too, and so are their prepared processes.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from stemma_cli.local.launcher import Launcher

LAUNCHING = "stemma_testkit.launching"
STARTING = "tests/"
"""The folder whose tests start services."""
shared: list[Launcher] = []
"""It ends when it is let go of, in whichever copy: each keeps it to its own end."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have it begin before there are copies: its connection is theirs too, and each message on it is a whole."""
    several = session.config.getoption("workers") > 1 and not session.config.option.collectonly
    if several and any(item.nodeid.startswith(STARTING) for item in session.items):
        _begin()


def _begin() -> None:
    # Most runs of pytest begin none, and would take twice as long to start with what this imports.
    from stemma_cli.local.environment import harmless
    from stemma_cli.local.launcher import launcher
    from stemma_cli.local.supervisor import service_names
    from stemma_confinement.attendant import Attendant

    from .launching import import_all

    shared.append(launcher())
    command = [sys.executable, "-P", "-m", LAUNCHING]
    shared[0]._process = Attendant(command, harmless(os.environ), errors=None)
    shared[0].prepare(service_names())
    # Services run in the copies of this process, too, and each of these would import and begin the same by itself.
    import_all()
