"""A pytest plugin: tests are collected once, and run by copies of the process that has collected them.

The option ``--workers`` says how many. A worker runs all tests of a file, or of a folder whose files share an
installation, one after the other; who is done gets the file that comes next.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, assert_never

import pytest

from .one_installation import scopes_of

Location = tuple[str, int | None, str]
_FORKING = get_context("fork")


class Turn(NamedTuple):
    """A test by its place among all, and the one behind it: what both need is kept between them."""

    test: int
    following: int | None


class Report(NamedTuple):
    """What came of a phase of a test, as pytest writes it down."""

    data: dict[str, Any]


class Warned(NamedTuple):
    """A warning, by its words."""

    warning_message: warnings.WarningMessage
    when: str
    nodeid: str
    location: Location | None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the number of workers."""
    parser.addoption("--workers", type=int, default=1, help="run the tests in so many copies of this process")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in copies where more than one is asked for."""
    number: int = session.config.getoption("workers")
    if number < 2 or session.config.option.collectonly or session.testsfailed:
        return None
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    with Distribution(session) as distribution:
        distribution.run(number)
    return True


class Worker:
    """A copy of this process, and the tests that it is to run."""

    def __init__(self, session: pytest.Session, number: int, tests: deque[int]) -> None:
        self.tests = tests
        self.test = -1
        self.connection, theirs = _FORKING.Pipe()
        self._process = _FORKING.Process(target=_work, args=(session, number, theirs))
        self._process.start()
        theirs.close()
        self.ending = os.pidfd_open(self._process.pid or 0)

    def run(self, turn: Turn) -> None:
        """Have it run a test; if it has ended, that is seen when it is listened to."""
        self.test = turn.test
        with suppress(OSError):
            self.connection.send(turn)

    def told(self) -> Report | Warned | None:
        """What it tells next, nothing once it is through with its test. Raises `EOFError` if it has ended in it."""
        if not self.connection.poll():
            raise EOFError
        try:
            event: Report | Warned | None = self.connection.recv()
        except OSError as error:
            raise EOFError from error
        return event

    def end(self) -> int | None:
        """Have it end once it is through with its test; its exit code."""
        with suppress(OSError):
            self.connection.send(None)
        self.connection.close()
        self._process.join()
        os.close(self.ending)
        return self._process.exitcode


class Distribution:
    """Gives the tests of a session to workers, and tells pytest what comes of them."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._left = deque(_together(session.items))
        self._workers: list[Worker] = []
        self._begun = 0

    def __enter__(self) -> Distribution:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def run(self, number: int) -> None:
        """Run every test. Raises what ends a session early."""
        for _ in range(min(number, len(self._left))):
            self._begin(deque())
        while self._workers:
            for worker in self._which_tell():
                self._listen(worker)
            self._raise_if_over()

    def _raise_if_over(self) -> None:
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _begin(self, tests: deque[int]) -> None:
        worker = Worker(self._session, self._begun, tests)
        self._begun += 1
        self._workers.append(worker)
        self._go_on(worker)

    def _go_on(self, worker: Worker) -> None:
        """Give a worker its next test; the file behind is given out while the last test of this one is still to run."""
        if (test := self._next(worker)) is None:
            self._workers.remove(worker)
            worker.end()
            return
        worker.tests.popleft()
        self._tell("logstart", test)
        worker.run(Turn(test, self._next(worker)))

    def _next(self, worker: Worker) -> int | None:
        if not worker.tests and self._left:
            worker.tests.extend(self._left.popleft())
        return worker.tests[0] if worker.tests else None

    def _which_tell(self) -> list[Worker]:
        ready = wait([one for worker in self._workers for one in (worker.connection, worker.ending)])
        return [worker for worker in self._workers if worker.connection in ready or worker.ending in ready]

    def _listen(self, worker: Worker) -> None:
        try:
            event = worker.told()
        except EOFError:
            self._replace(worker)
            return
        if event is None:
            self._tell("logfinish", worker.test)
            self._go_on(worker)
        else:
            self._pass_on(event)

    def _pass_on(self, event: Report | Warned) -> None:
        hook = self._session.config.hook
        match event:
            case Report(data):
                report = hook.pytest_report_from_serializable(config=self._session.config, data=data)
                hook.pytest_runtest_logreport(report=report)
            case Warned():
                hook.pytest_warning_recorded.call_historic(kwargs=event._asdict())
            case other:
                assert_never(other)

    def _replace(self, worker: Worker) -> None:
        """A test in which a worker ended has failed; another worker goes on with the tests behind it."""
        self._workers.remove(worker)
        why = f"the worker ended in this test, with {worker.end()}"
        item = self._session.items[worker.test]
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
        self._session.config.hook.pytest_runtest_logreport(report=report)
        self._tell("logfinish", worker.test)
        if worker.tests or self._left:
            self._begin(worker.tests)

    def _tell(self, what: str, test: int) -> None:
        item = self._session.items[test]
        getattr(self._session.config.hook, f"pytest_runtest_{what}")(nodeid=item.nodeid, location=item.location)


def _together(items: Sequence[pytest.Item]) -> Iterator[list[int]]:
    """The places of tests that one worker is to run, in the order in which the first of each was collected."""
    scopes: dict[str, list[int]] = {}
    for place, scope in enumerate(scopes_of(items)):
        scopes.setdefault(scope, []).append(place)
    return iter(scopes.values())


def _work(session: pytest.Session, number: int, connection: Connection) -> None:
    """Be a worker: run one test after the other, as they are told, until nobody is there any more."""
    _begin_as_a_copy(session.config, number)
    telling = Telling(session.config, connection)
    session.config.pluginmanager.register(telling)
    telling.at_work = True
    try:
        with suppress(EOFError, OSError, KeyboardInterrupt):
            while (turn := connection.recv()) is not None:
                behind = None if turn.following is None else session.items[turn.following]
                session.config.hook.pytest_runtest_protocol(item=session.items[turn.test], nextitem=behind)
                connection.send(None)
    finally:
        session._setupstate.teardown_exact(None)


def _begin_as_a_copy(config: pytest.Config, number: int) -> None:
    """Have what a process cannot share: who writes to the terminal, what is captured, and a folder for files."""
    config.pluginmanager.unregister(name="terminalreporter")
    capturing: Any = config.pluginmanager.getplugin("capturemanager")
    capturing.stop_global_capturing()
    capturing.start_global_capturing()
    capturing.suspend_global_capture()
    factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / f"worker-{number}"
    factory._basetemp.mkdir(mode=0o700)


class Telling:
    """The hooks by which a worker tells what comes of a test."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection
        self.at_work = False
        """Pytest calls a new plugin with all warnings so far, which have been told."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell of a report."""
        self._connection.send(
            Report(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))
        )

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Location | None
    ) -> None:
        """Tell of a warning, by its words."""
        was = warning_message
        words = warnings.WarningMessage(str(was.message), was.category, was.filename, was.lineno)
        if self.at_work:
            self._connection.send(Warned(words, when, nodeid, location))
