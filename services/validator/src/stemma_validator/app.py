"""Composition root of the validator."""

import json
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, assert_never

from faststream import FastStream
from pydantic import Field
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_confinement import Limits
from stemma_contracts import subjects
from stemma_messaging import BadSettings, Opened, Service, WorkerBroker, WorkerSettings, config_dir

from .engines import LintEngine, MarkdownlintEngine, RumdlEngine
from .engines.markdownlint import Installation, packaged_node, packages_folder
from .engines.rumdl import SafeFixes, packaged_rumdl
from .grounds import Grounds
from .handlers import DRAFT_LIMIT, Tools, routes


class RulesUnusable(Exception):
    """A configuration file is missing or is not what its name says; ``str()`` of it names the file."""


def read_toml_rules(file: Path) -> str:
    """The text of a TOML file; raises `RulesUnusable`."""
    text = _read(file)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesUnusable(f"{file.name}: {error}") from None
    return text


def read_json_rules(file: Path) -> str:
    """The text of a file with a JSON object; raises `RulesUnusable`."""
    text = _read(file)
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        raise RulesUnusable(f"{file.name}: {error}") from None
    if not isinstance(options, dict):
        raise RulesUnusable(f"{file.name}: an object is needed")
    return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RulesUnusable(f"{file.name}: file is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulesUnusable(f"{file.name}: {type(error).__name__}") from None


class ValidatorSettings(WorkerSettings):
    """What can be set; see config/settings.toml."""

    engine: Literal["rumdl", "markdownlint"] = "rumdl"
    markdownlint_dir: Path = Field(default_factory=packages_folder, description="where npm installed markdownlint-cli")
    time_limit_s: float = Field(default=30.0, gt=0, description="CPU time of one check of a draft")
    wall_limit_s: float = Field(
        default=600.0, gt=0, description="the same by the clock; past it, the check is tried later"
    )
    memory_limit_mib: int = Field(default=1024, ge=64, description="of one process")
    processes: int = Field(default=4, ge=1, description="linter processes at a time")
    draft_limit_bytes: int = Field(default=DRAFT_LIMIT, ge=1)


def rules_of(settings: ValidatorSettings) -> str:
    """The rules of the chosen linter; raises `BadSettings` for those that it cannot read."""
    config = config_dir("stemma_validator")
    try:
        match settings.engine:
            case "rumdl":
                return read_toml_rules(config / "rumdl.toml")
            case "markdownlint":
                return read_json_rules(config / "markdownlint.json")
            case _:
                assert_never(settings.engine)
    except RulesUnusable as unusable:
        raise BadSettings([str(unusable)]) from None


def check(settings: ValidatorSettings) -> None:
    rules_of(settings)


def open_engine(settings: ValidatorSettings, limits: Limits) -> LintEngine:
    """The linter of this installation; raises `BadSettings` for rules that it cannot read."""
    rules = rules_of(settings)
    shared: dict[str, Any] = {"limits": limits, "processes": settings.processes}
    match settings.engine:
        case "rumdl":
            return RumdlEngine(rules, executable=packaged_rumdl(), **shared)
        case "markdownlint":
            installation = Installation(packaged_node(), settings.markdownlint_dir)
            return MarkdownlintEngine(rules, installation=installation, **shared)
        case _:
            assert_never(settings.engine)


def open_fixes(limits: Limits) -> SafeFixes:
    """What mends drafts, whatever engine checks them; raises `BadSettings` for rules that it cannot read."""
    try:
        rules = read_toml_rules(config_dir("stemma_validator") / "rumdl.toml")
    except RulesUnusable as unusable:
        raise BadSettings([str(unusable)]) from None
    return SafeFixes(rules, executable=packaged_rumdl(), limits=limits)


def build_app(settings: ValidatorSettings) -> FastStream:
    broker, tools = WorkerBroker(subjects.VALIDATOR, settings, jobs="pushed"), Opened[Tools]()
    broker.include_router(routes(tools))

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with broker.connected():
            tools.give(open_tools(settings, broker))
            await broker.publish_capabilities({})
            yield

    return FastStream(broker, lifespan=lifespan, logger=None)


def open_tools(settings: ValidatorSettings, broker: WorkerBroker) -> Tools:
    limits = Limits(settings.time_limit_s, settings.memory_limit_mib, wall_seconds=settings.wall_limit_s)
    artifacts = JetStreamArtifactStore(broker.jetstream)
    grounds, fixes = Grounds(artifacts, limits), open_fixes(limits)
    return Tools(artifacts, open_engine(settings, limits), grounds, fixes, limits, settings.draft_limit_bytes)


service = Service(subjects.VALIDATOR, ValidatorSettings, build_app, check)


def main() -> None:
    service.main()
