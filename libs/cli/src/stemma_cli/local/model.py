"""The one setting that names the model of all services: options, variables, or ``[model]`` of stemma.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_contracts.misfits import misfits

from stemma_cli.exit_codes import CliError, ExitCode

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
