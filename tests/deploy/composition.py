"""The compose file as an engine reads it, with its variables filled in."""

import io
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any, cast

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
RENDER = ROOT / "deploy" / "nats" / "render.py"
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?:(?P<kind>:?[-?])(?P<rest>[^}]*))?\}")


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
    """The services of the file."""

    services: Mapping[str, Any]

    def builds(self) -> dict[str, Build]:
        """How the images of services are built, of those that are not pulled."""
        built = {name: service["build"] for name, service in self.services.items() if "build" in service}
        return {
            name: Build(ROOT / build["context"] / build["dockerfile"], tuple(build["args"].items()))
            for name, build in built.items()
        }


def load(variables: Mapping[str, str]) -> Composition:
    """The committed file with these variables; raises `VariableMissing`."""
    return Composition(yaml.safe_load(interpolated(FILE.read_text(encoding="utf-8"), variables))["services"])
