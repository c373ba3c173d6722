"""The one setting that names the model of all services: options, variables, or ``[model]`` of stemma.toml."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tomllib
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.model_check import ModelCheck

from stemma_cli.exit_codes import CliError, ExitCode

if TYPE_CHECKING:
    from .llama import LlamaServer

FILE = Path("stemma.toml")
MODEL, API_BASE, CONTEXT = "STEMMA_MODEL", "STEMMA_MODEL_API_BASE", "STEMMA_MODEL_CONTEXT"


class Model(BaseModel):
    """A model as LiteLLM spells it, where it is served, and how many tokens it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    api_base: str | None = Field(default=None, min_length=1)
    context: int | None = Field(default=None, ge=1024)

    @property
    def variables(self) -> dict[str, str]:
        """What every service is told of it; an empty value keeps out what stands in the environment."""
        return {MODEL: self.name, API_BASE: self.api_base or "", CONTEXT: str(self.context or "")}


QUOTING = {MODEL: "offline", API_BASE: "", CONTEXT: ""}
"""What services are told in place of a model that cannot write: they quote the inputs."""


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    model: Model | None = None


def chosen_model(name: str | None, api_base: str | None, context: int | None, file: Path = FILE) -> Model | None:
    """The model that is named; options and variables come before the file. Raises `CliError`."""
    given = {"name": name, "api_base": api_base, "context": context}
    told = {key: value for key, value in given.items() if value is not None}
    if name is None and (in_file := _read(file)) is not None:
        told = in_file.model_dump() | told
    if not told:
        return None
    if "name" not in told:
        raise CliError(ExitCode.USAGE, "no model is named", f"name it by --model, {MODEL} or [model] in {file}")
    return Model.model_validate(told)


def _read(file: Path) -> Model | None:
    if not file.is_file():
        return None
    try:
        return _Settings.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))).model
    except ValidationError as error:
        reason = "; ".join(map(str, misfits(error)))
    except (ValueError, OSError) as error:
        reason = str(error)
    raise CliError(ExitCode.USAGE, f"{file}: {reason}", "it may have [model] with name, api_base and context")


def verdict_of(found: ModelCheck) -> str:
    """In one sentence, with what to do."""
    if found.problem:
        return f"{found.model} could not be asked: {found.problem}"
    chose = f"chose the true sentence {found.right} times of {found.questions}"
    if found.can_write:
        return f"{found.model} can write: it follows a schema, stops and {chose}"
    lacks = ["does not follow a schema"] * (not found.schema_followed) + ["does not stop"] * (not found.stops)
    failing = ", ".join([*lacks, chose])
    return (
        f"{found.model} {failing}: Stemma writes by quoting your inputs alone; name a larger model, or ask this one "
        "again by `stemma models check`"
    )


def abilities_of(found: ModelCheck) -> Mapping[str, str]:
    """What it can do, by name; nothing is known of a model that did not answer."""
    if found.problem:
        return {}
    price = found.dollars_a_million
    return {
        "context": f"{found.context} tokens" if found.context else "not known: name it by --context",
        "schema": _yes(found.schema_followed),
        "true sentences": f"{found.right} of {found.questions}",
        "stops": _yes(found.stops),
        "tools": _yes(found.tools),
        "streams": _yes(found.streams),
        "cache": f"{found.cached_tokens} tokens in these calls" if found.cached_tokens else "none in these calls",
        "speed": f"{found.tokens_a_second:g} tokens a second, {found.calls_at_a_time} calls at a time",
        "price": f"{price[0]:g} and {price[1]:g} dollars a million tokens" if price else "not known",
    }


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


async def check_here(model: Model | None, data: Path) -> ModelCheck:
    """What a model can do, kept for the next start; without a name it is the one that runs. Raises `CliError`."""
    from .llama import served_here
    from .supervisor import free_port

    running = None if model else running_model(data)
    chosen, file = running or (model or chosen_model(None, None, None), "")
    if chosen is None:
        raise CliError(ExitCode.USAGE, "no model is named", f"name it by --model, {MODEL} or [model] in {FILE}")
    served = None if running else served_here(chosen, free_port())
    if served is not None:
        chosen, file = served.model, served.version
    found = await (_check_served(served) if served else check({**os.environ, **chosen.variables}))
    KeptChecks(data, file).keep(chosen, found)
    return found


def running_model(data: Path) -> tuple[Model, str] | None:
    """The model of the `stemma up` that runs with a data folder, and its file if it is served there."""
    from .folder import DataFolder

    try:
        told = json.loads(DataFolder(data).state_file.read_bytes())
        return Model.model_validate(told["model"]), str(told["model_file"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


async def _check_served(served: LlamaServer) -> ModelCheck:
    """Start its server only for that. Raises `CliError`."""
    from .processes import DidNotStartError
    from .supervisor import LocalStemma

    with TemporaryDirectory(prefix="stemma-check-") as folder:
        try:
            async with LocalStemma(Path(folder), services=(), llama=served):
                return await check({**os.environ, **served.model.variables})
        except DidNotStartError as error:
            raise CliError(ExitCode.FAILED, "the model did not start", "\n".join(error.last_lines)) from None


async def check(environment: Mapping[str, str]) -> ModelCheck:
    """Have the service that writes ask its model. Raises `CliError`."""
    code = "from stemma_cli.local.run import run_command; run_command('generation-graph', '--check-model')"
    asking = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, env=environment, stdin=DEVNULL, stdout=PIPE
    )
    try:
        told, _ = await asking.communicate()
    finally:
        if asking.returncode is None:
            asking.kill()
            await asking.wait()
    if asking.returncode:
        raise CliError(ExitCode.FAILED, "the model could not be asked", "the lines above say why")
    return ModelCheck.model_validate_json(told.splitlines()[-1])


class KeptChecks:
    """What models were found to be able to do, in a file of the data folder: each is asked once by a version of Stemma.

    A model that is served from a file here has another port each time: ``model_file`` tells it from others.
    """

    def __init__(self, folder: Path, model_file: str = "") -> None:
        self._file, self._model_file = folder / "models.json", model_file

    def get(self, model: Model) -> ModelCheck | None:
        """What was found out of it; nothing if it was never asked, or by another version of Stemma."""
        try:
            return ModelCheck.model_validate(self._read().get(self._key(model)))
        except ValidationError:
            return None

    def keep(self, model: Model, found: ModelCheck) -> None:
        """Keep it, unless the model could not be asked or there is no folder yet."""
        if not found.problem and self._file.parent.is_dir():
            all_found = self._read() | {self._key(model): found.model_dump(mode="json")}
            self._file.write_text(json.dumps(all_found, indent=2), encoding="utf-8")

    def _key(self, model: Model) -> str:
        served = {"api_base": self._model_file} if self._model_file else {}
        return f"{version('stemma-cli')} {model.model_copy(update=served).model_dump_json()}"

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}


async def variables_by_check(
    model: Model, folder: Path, report: Callable[[str], None], model_file: str = ""
) -> Mapping[str, str]:
    """What services are told: a model that was asked and cannot write leaves them to quote. Each is asked once."""
    known = KeptChecks(folder, model_file)
    if (found := known.get(model)) is None:
        report(f"asking {model.name} what it can do")
        found = await check({**os.environ, **model.variables})
        known.keep(model, found)
    report(verdict_of(found))
    return model.variables if found.can_write or found.problem else QUOTING
