"""Tests that share what is costly to start run in one worker."""

import gc

import pytest
from stemma_testkit.workers import group_of

PAGES, STORY, DEMO = "services/gateway/tests/test_a.py", "tests/e2e/test_b.py", "tests/e2e/test_e2e_demo.py"
PURE = "libs/markdown/tests/test_c.py"


@pytest.mark.req("E6")
def test_a_worker_runs_all_that_share_something_where_all_run_and_else_a_file() -> None:
    files = [PAGES, STORY, DEMO, PURE]
    assert [group_of(path, all_run=True) for path in files] == ["services/gateway", "tests/e2e", DEMO, PURE]
    assert [group_of(path, all_run=False) for path in files] == files


def test_what_was_collected_is_no_garbage() -> None:
    assert gc.get_freeze_count() > 0
