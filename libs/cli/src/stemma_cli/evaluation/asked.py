"""The file of an evaluation: requests with their files by role, and what each measure has to be."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Token
from stemma_contracts.v1.references import UploadRole

DEFAULT = "default"


class EvaluationError(ValueError):
    """A file of an evaluation that cannot be used; the message names it and what is wrong."""


class Asked(BaseModel):
    """One request; its files are named relative to the file that lists it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Token = "proposal"
    language: str = Field(default="en", description="in which the answer has to be")
    brief: str = Field(min_length=1)
    files: dict[UploadRole, tuple[Path, ...]] = {}
    source: str = Field(default="", description="who published it")
    licence: str = Field(min_length=1)


class EvaluationSet(BaseModel):
    """Requests by name, and thresholds: for all models under ``default``, else under the name of a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: dict[Token, Asked] = Field(min_length=1)
    thresholds: dict[str, dict[str, float]] = {}

    def thresholds_of(self, model: str) -> Mapping[str, float]:
        return {**self.thresholds.get(DEFAULT, {}), **self.thresholds.get(model, {})}


def read_set(file: Path, measures: Mapping[str, object]) -> EvaluationSet:
    """The set with absolute paths; raises `EvaluationError` for one that cannot be used, or lacks a file."""
    try:
        read = EvaluationSet.model_validate(tomllib.loads(file.read_text("utf-8")))
    except OSError as error:
        raise EvaluationError(f"{file}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise EvaluationError(f"{file} is no TOML: {error}") from None
    except ValidationError as error:
        raise EvaluationError("; ".join(f"{file}: {misfit}" for misfit in misfits(error))) from None
    if problems := [*_problems(file, read, measures)]:
        raise EvaluationError("; ".join(problems))
    return read.model_copy(update={"requests": {name: _placed(one, file) for name, one in read.requests.items()}})


def _problems(file: Path, read: EvaluationSet, measures: Mapping[str, object]) -> Iterator[str]:
    for name, asked in read.requests.items():
        for role, path in _files(asked):
            if not (file.parent / path).exists():
                yield f"{file}: requests.{name}.files.{role}: there is no {path}"
    for model, thresholds in read.thresholds.items():
        for name in sorted(set(thresholds) - set(measures)):
            yield f"{file}: thresholds.{model}.{name}: no such measure; there are {', '.join(measures)}"


def _files(asked: Asked) -> Iterator[tuple[UploadRole, Path]]:
    return ((role, path) for role, paths in asked.files.items() for path in paths)


def _placed(asked: Asked, file: Path) -> Asked:
    placed = {role: tuple((file.parent / path).resolve() for path in paths) for role, paths in asked.files.items()}
    return asked.model_copy(update={"files": placed})
