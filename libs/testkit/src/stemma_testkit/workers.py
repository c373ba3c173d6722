"""A pytest plugin: what is costly to start is started in one worker."""

from collections.abc import Sequence

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

SHARING = ("services", "libs/cli", "libs/client", "libs/mcp", "libs/messaging", "libs/models", "tests/e2e")
"""Where the tests of a folder start or import the same."""
LONG = tuple(f"tests/e2e/test_e2e_{name}.py" for name in ("demo", "model", "real_model"))
"""Each takes as long as others together, which share less with it."""


class ByGroup(LoadGroupScheduling):  # type: ignore[misc]
    """``--dist loadgroup`` with a group for each file, as pytest-xdist's own marks group nothing since pytest 9.2."""

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        all_run = self.config.args == self.config.getini("testpaths")
        tests = [f"{test}@{group_of(test.partition('::')[0], all_run)}" for test in collection]
        super().add_node_collection(node, tests)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGroup | None:
    return ByGroup(config, log) if config.getvalue("dist") == "loadgroup" else None


def group_of(path: str, all_run: bool) -> str:
    """What runs in one worker: the file alone where only some tests run, else all that share something with it."""
    together = all_run and path.startswith(SHARING) and path not in LONG
    return "/".join(path.split("/")[:2]) if together else path
