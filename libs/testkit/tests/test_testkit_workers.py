"""Tests that share what is costly to start run in one worker."""

from types import SimpleNamespace
from typing import Any

import pytest
from stemma_testkit.workers import group_of, pytest_xdist_make_scheduler
from xdist.remote import Producer

PAGES, STORY, LONG = "services/gateway/tests/test_a.py", "tests/e2e/test_b.py", "tests/e2e/test_e2e_real_model.py"
MODEL, PROVIDERS = "tests/e2e/test_e2e_model.py", "libs/models/tests/test_e.py"
OTHER_PAGES, PURE = "services/gateway/tests/test_d.py", "libs/markdown/tests/test_c.py"


@pytest.mark.req("E6")
def test_a_worker_runs_all_that_share_something_where_all_run_and_else_a_file() -> None:
    files = [PAGES, STORY, LONG, PURE, MODEL, PROVIDERS]
    groups = ["services/gateway", "tests/e2e", LONG, PURE, "litellm", "litellm"]
    assert [group_of(path, all_run=True) for path in files] == groups
    assert [group_of(path, all_run=False) for path in files] == files


@pytest.mark.parametrize(("args", "first"), [(None, [0, 1, 2]), (["services"], [0, 1])])
def test_tests_are_distributed_by_these_groups(
    pytestconfig: pytest.Config, args: list[str] | None, first: list[int]
) -> None:
    told: dict[str, Any] = {"dist": "loadgroup", "tx": ["popen"]}
    option, run = SimpleNamespace(loadscopereorder=False), args or list(pytestconfig.getini("testpaths"))
    config: Any = SimpleNamespace(getini=pytestconfig.getini, getvalue=told.get, option=option, args=run)
    scheduler = pytest_xdist_make_scheduler(config, Producer("test"))
    sent: list[list[int]] = []
    worker: Any = _Worker(sent.append)
    assert scheduler
    scheduler.add_node(worker)
    scheduler.add_node_collection(worker, [f"{PAGES}::test_a", f"{PAGES}::test_b[a::b]", f"{OTHER_PAGES}::test_c"])
    scheduler.schedule()
    assert sent[0] == first
    assert "--dist loadgroup" in " ".join(pytestconfig.getini("addopts"))


class _Worker:
    shutting_down = False

    def __init__(self, send_runtest_some: Any) -> None:
        self.send_runtest_some = send_runtest_some

    def shutdown(self) -> None:
        """Nothing runs here."""
