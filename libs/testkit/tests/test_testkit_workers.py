"""Tests that share what is costly to start run in one worker."""

from types import SimpleNamespace
from typing import Any

import pytest
from stemma_testkit.workers import ByGroup, group_of, pytest_xdist_make_scheduler
from xdist.remote import Producer

PAGES, STORY, DEMO = "services/gateway/tests/test_a.py", "tests/e2e/test_b.py", "tests/e2e/test_e2e_demo.py"
PURE = "libs/markdown/tests/test_c.py"


@pytest.mark.req("E6")
def test_a_worker_runs_all_that_share_something_where_all_run_and_else_a_file() -> None:
    files = [PAGES, STORY, DEMO, PURE]
    assert [group_of(path, all_run=True) for path in files] == ["services/gateway", "tests/e2e", DEMO, PURE]
    assert [group_of(path, all_run=False) for path in files] == files


@pytest.mark.parametrize(("args", "group"), [(None, "services/gateway"), (["services"], PAGES)])
def test_tests_are_distributed_by_these_groups(pytestconfig: pytest.Config, args: list[str] | None, group: str) -> None:
    told: dict[str, Any] = {"dist": "loadscope", "tx": ["popen"]}
    all_of_them = pytestconfig.getini("testpaths")
    config: Any = SimpleNamespace(getini=pytestconfig.getini, getvalue=told.get, args=args or list(all_of_them))
    scheduler = pytest_xdist_make_scheduler(config, Producer("test"))
    assert isinstance(scheduler, ByGroup)
    assert scheduler._split_scope(f"{PAGES}::test_one[a::b]") == group
    assert "loadscope" in pytestconfig.getini("addopts")
