"""A process that works for another one, and what copies of that one may do to it."""

from __future__ import annotations

import gc
import os
import sys
from multiprocessing import get_context

import pytest
from stemma_confinement.prepared import Attendant

TELLS_WHO_IT_IS = """
import os, sys
from socket import recv_fds, socket

with socket(fileno=int(sys.argv[1])) as control:
    while (told := recv_fds(control, 1, 1))[0]:
        os.write(told[1][0], str(os.getpid()).encode())
        os.close(told[1][0])
"""


def who_answers(attendant: Attendant) -> int:
    reading, writing = os.pipe()
    attendant.send(b"?", writing)
    os.close(writing)
    with open(reading, "rb") as told:
        return int(told.read())


def let_go(kept: list[Attendant]) -> None:
    kept.clear()
    gc.collect()


@pytest.mark.req("S6")
def test_a_copy_of_this_process_that_lets_go_of_it_does_not_end_it() -> None:
    kept = [Attendant([sys.executable, "-c", TELLS_WHO_IT_IS], {})]
    before = who_answers(kept[0])
    copy = get_context("fork").Process(target=let_go, args=(kept,))
    copy.start()
    copy.join()
    assert copy.exitcode == 0
    assert who_answers(kept[0]) == before
