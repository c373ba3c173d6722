"""A pytest plugin: whether the servers of the tests run in containers, decided once and told with the results."""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pytest

VARIABLE = "STEMMA_TEST_SERVERS"


class Servers(StrEnum):
    CONTAINERS = "containers"
    PACKAGED = "packaged"


@cache
def servers() -> Servers:
    return choose(os.environ, engine_answers)


def choose(environment: Mapping[str, str], answers: Callable[[], bool]) -> Servers:
    """What `VARIABLE` says, else containers where an engine answers; raises `pytest.UsageError` for another word."""
    match environment.get(VARIABLE):
        case None:
            return Servers.CONTAINERS if answers() else Servers.PACKAGED
        case Servers.CONTAINERS | Servers.PACKAGED as said:
            return Servers(said)
        case other:
            raise pytest.UsageError(f"{VARIABLE} is {other!r}, not one of {', '.join(Servers)}")


def engine_answers() -> bool:
    """Whether the extra ``containers`` is installed and finds an engine."""
    if find_spec("testcontainers") is None:
        return False
    client = import_module("testcontainers.core.docker_client").DockerClient
    try:
        return bool(client().client.ping())
    except import_module("docker.errors").DockerException:
        return False


def pytest_configure() -> None:
    """Decide; the workers of pytest-xdist inherit the decision."""
    os.environ[VARIABLE] = servers()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    kind = {Servers.CONTAINERS: "containers", Servers.PACKAGED: "packaged binaries"}[servers()]
    terminalreporter.write_line(f"servers: {kind}")
