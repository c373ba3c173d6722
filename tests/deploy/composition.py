"""The compose file as an engine reads it: variables filled in, one value for each service, host names replaced."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from runpy import run_path
from typing import Any, cast

import yaml
from stemma_testkit.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
RENDER = ROOT / "deploy" / "nats" / "render.py"
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?:(?P<kind>:?[-?])(?P<rest>[^}]*))?\}")
ANYWHERE, LOOPBACK = "0.0.0.0", "127.0.0.1"
ADDRESS = re.compile(r"(?P<host>[a-z-]+|127\.0\.0\.1):(?P<port>\d+)\b")


class VariableMissing(ValueError):
    """A variable that the file demands is not set."""


def fresh_variables() -> dict[str, str]:
    """What ``make env`` writes."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        _render()(["--env", "--admitted", tempfile.mkdtemp()])
    return dict(line.split("=", 1) for line in printed.getvalue().splitlines())


@cache
def _render() -> Callable[[Sequence[str]], int]:
    """The program that ``make env`` runs: a process of its own would import provisioning for every one."""
    return cast("Callable[[Sequence[str]], int]", run_path(str(RENDER))["main"])


def interpolated(text: str, variables: Mapping[str, str]) -> str:
    """Fill in ``${NAME}``, ``${NAME:-default}`` and ``${NAME:?error}``; raises `VariableMissing`."""

    def value(match: re.Match[str]) -> str:
        found = variables.get(match["name"])
        if found:
            return found
        if (match["kind"] or "").endswith("-"):
            return match["rest"]
        raise VariableMissing(match["name"])

    return VARIABLE.sub(value, text)


@dataclass(frozen=True)
class Build:
    """What an image is built from: a Dockerfile, and its arguments."""

    dockerfile: Path
    arguments: tuple[tuple[str, str], ...]

    @property
    def program(self) -> str:
        """The program of ours that a container runs."""
        given = dict(self.arguments)
        return given.get("PROGRAM", given["PACKAGE"])


@dataclass(frozen=True)
class Composition:
    """The services of the file; each has the loopback address and ports of its own instead of a network."""

    services: Mapping[str, Any]
    ports: Mapping[tuple[str, int], int]

    def in_order(self) -> Iterator[str]:
        """The services, each after those that it depends on."""
        return iter(TopologicalSorter({n: s.get("depends_on", {}) for n, s in self.services.items()}).static_order())

    def builds(self) -> dict[str, Build]:
        """How the images of services are built, of those that are not pulled."""
        built = {name: service["build"] for name, service in self.services.items() if "build" in service}
        return {
            name: Build(ROOT / build["context"] / build["dockerfile"], tuple(build["args"].items()))
            for name, build in built.items()
        }

    def environment(self, name: str) -> dict[str, str]:
        """The variables of a service with this machine's addresses."""
        given = self.services[name].get("environment", {})
        return {key: self.mounted(name, self.here(name, str(value))) for key, value in given.items()}

    def command(self, name: str) -> list[str]:
        """The arguments of a service."""
        return [self.here(name, argument) for argument in self.services[name].get("command", [])]

    def mounted(self, name: str, path: str) -> str:
        """The folder of this machine that a service has at a path, or the path."""
        mounts: dict[str, str] = dict(volume.split(":")[1::-1] for volume in self.services[name].get("volumes", []))
        return mounts.get(path, path)

    def check(self, name: str) -> list[str]:
        """The health check of a service."""
        program, *arguments = self.services[name]["healthcheck"]["test"]
        assert program == "CMD"
        return [self.here(name, argument) for argument in arguments]

    def at(self, name: str, port: int, url: str) -> Composition:
        """The same with what already listens at an address of its own."""
        return replace(self, ports={**self.ports, (name, port): int(url.rpartition(":")[2])})

    def here(self, name: str, text: str) -> str:
        """A text of a service with this machine's addresses and ports for the network's."""

        def address(match: re.Match[str]) -> str:
            service = name if match["host"] == LOOPBACK else match["host"]
            port = self.ports.get((service, int(match["port"])))
            return match[0] if port is None else f"{LOOPBACK}:{port}"

        if text == ANYWHERE:
            return LOOPBACK
        if text.isdecimal():
            return str(self.ports.get((name, int(text)), text))
        return ADDRESS.sub(address, text)


LISTENING = {"nats": (4222, 8222), "postgres": (5432,), "jaeger": (4318,), "gateway": (8080, 8000)}
HEALTH = 8080


def load(variables: Mapping[str, str]) -> Composition:
    """The committed file with these variables; raises `VariableMissing`."""
    services = yaml.safe_load(interpolated(FILE.read_text(encoding="utf-8"), variables))["services"]
    pairs = [(name, port) for name in services for port in LISTENING.get(name, (HEALTH,))]
    return Composition(services, {pair: free_port() for pair in pairs})
