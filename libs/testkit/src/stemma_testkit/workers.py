"""A pytest plugin: what is costly to start is started in one worker."""

from collections.abc import Sequence

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

SHARING = ("services", "libs/cli", "libs/client", "libs/mcp", "libs/messaging", "tests/e2e")
"""Where the tests of a folder start or import the same."""
LONG = ("tests/e2e/test_e2e_real_model.py",)
"""It takes as long as others together, which share less with it."""
LITELLM = (
    "libs/models/",
    "services/generation-graph/tests/test_generation_nearness.py",
    "tests/e2e/test_e2e_model.py",
    "tests/faults/test_faults_threads.py",
)
"""What has LiteLLM imported, which takes five seconds."""


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
    if not all_run or path in LONG:
        return path
    if path.startswith(LITELLM):
        return "litellm"
    return "/".join(path.split("/")[:2]) if path.startswith(SHARING) else path
