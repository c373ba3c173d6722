"""What a linter must do here. `normalise.RawIssue` reads the JSON of both engines.

rumdl, the default, is a dependency of this package (``pip install rumdl==0.3.0``: one static binary). It writes a
list to stdout, also an empty one; it ends with 0 (clean), 1 (issues) or another status (it failed):

    [{"file": "draft.md", "line": 5, "column": 6, "rule": "MD033", "message": "Inline HTML found: <b>",
      "severity": "warning", "fixable": false}]

markdownlint-cli 0.50.0 needs Node (``pip install "stemma-validator[markdownlint]"``, then ``npm ci`` with the files
of the folder ``markdownlint`` of this package; ``make setup`` does both). It writes its list to stderr and nothing at
all when there are no issues; it ends with 0 (clean), 1 (issues) or another status (it failed):

    [{"fileName": "draft.md", "lineNumber": 5, "ruleNames": ["MD033", "no-inline-html"],
      "ruleDescription": "Inline HTML", "ruleInformation": "https://github.com/DavidAnson/markdownlint/...",
      "errorDetail": "Element: b", "errorContext": null, "errorRange": [6, 3], "fixInfo": null,
      "severity": "error"}]
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, TypeAdapter, model_validator
from stemma_confinement import Limits, OutOfTime, Stalled
from stemma_confinement.programs import Finished, run_program
from stemma_contracts.v1.validation import ValidationIssue

from stemma_validator.errors import EngineNotFound, ValidationTimeout

_SWITCH = re.compile(r"(<!--\s*(?:markdownlint|rumdl|prettier))-(?=[a-z])", re.IGNORECASE)
_MAX_DETAIL = 300


class LintEngine(Protocol):
    """A linter."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    async def lint(self, text: str) -> list[RawIssue]:
        """The issues of a text; raises `ValidationImpossible` if the engine gives no answer."""
        ...


async def run_engine(
    name: str,
    command: Sequence[str | Path],
    *,
    folder: Path,
    limits: Limits,
    memory: Literal["addresses", "data"] = "addresses",
) -> Finished:
    """Run a linter in ``folder`` to its end; raises `EngineNotFound`, `ValidationTimeout` and `Stalled`."""
    if shutil.which(command[0]) is None:
        raise EngineNotFound(name)
    try:
        async with asyncio.timeout(limits.by_the_clock):
            return await run_program(command, folder=folder, limits=limits, memory=memory)
    except OutOfTime:
        raise ValidationTimeout(limits.seconds) from None
    except TimeoutError:
        raise Stalled(limits.by_the_clock) from None


def without_switches(text: str) -> str:
    """``text`` in which no comment can switch a linter off, of the same length, so that columns stay."""
    return _SWITCH.sub(r"\1.", text)


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


class RawIssue(BaseModel):
    """One issue as an engine wrote it; the first name of each pair is markdownlint's, the second rumdl's."""

    line_number: int = Field(default=0, ge=0, validation_alias=AliasChoices("lineNumber", "line"))
    rule_names: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), validation_alias=AliasChoices("ruleNames", "rule")
    )
    description: str = Field(default="", validation_alias=AliasChoices("ruleDescription", "description"))
    error_detail: str = Field(default="", validation_alias=AliasChoices("errorDetail", "message"))

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


_output: TypeAdapter[list[RawIssue]] = TypeAdapter(Annotated[list[RawIssue], BeforeValidator(_as_list)])


def read_issues(output: bytes) -> list[RawIssue]:
    """The issues in the JSON of an engine: a list, or one object, which is read like a list of one.

    Raises `pydantic.ValidationError` for anything else.
    """
    return _output.validate_json(output)


def normalise(raw: RawIssue) -> ValidationIssue:
    return ValidationIssue(
        line_number=raw.line_number,
        rule=raw.rule_names[0] if raw.rule_names else raw.description,
        rule_description=raw.description,
        message=raw.error_detail[:_MAX_DETAIL] or raw.description,
        error_detail=raw.error_detail[:_MAX_DETAIL] or None,
    )
