"""An installation whose services run code of a test before their own, and are copies of the launcher all the same."""

from __future__ import annotations

from stemma_cli.local.processes import ManagedProcess
from stemma_cli.local.supervisor import LocalStemma

from .customizing import RUNS


class CustomizedStemma(LocalStemma):
    """Each service runs first what `stemma_testkit.customizing.CODE` holds in its environment."""

    def _process(self, name: str, module: str, *services: str) -> ManagedProcess:
        return super()._process(name, RUNS, module, *services)
