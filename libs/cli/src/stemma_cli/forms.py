"""Forms of buyers, read and filled in a process with limits, because they are files of strangers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_forms import AnswersRefused, Field, FormError, Kind, Limit, Unit, fill, find_fields

from .exit_codes import CliError, ExitCode

LIMITS = Limits(seconds=60, memory_mb=1536)
_FORM, _ANSWERS, _DONE, _REFUSED = "form", "answers.json", "done", "refused.json"


async def fields_of(form: Path) -> tuple[Field, ...]:
    """The fields of a form; raises `CliError` with what is wrong with the file."""
    found = json.loads(await _confined(_find, form))
    return tuple(_field(field) for field in found)


async def filled(form: Path, answers: Mapping[str, str]) -> bytes:
    """The form with answers by the ids of fields; raises `CliError` with all that it does not accept."""
    return await _confined(_fill, form, answers)


async def _confined(call: Callable[[Path], None], form: Path, answers: Mapping[str, str] | None = None) -> bytes:
    content = await asyncio.to_thread(form.read_bytes)
    with TemporaryDirectory(prefix="stemma-") as name:
        folder = Path(name)
        (folder / _FORM).write_bytes(content)
        (folder / _ANSWERS).write_text(json.dumps(answers or {}), encoding="utf-8")
        try:
            await Prepared(prepare).run(call, folder, LIMITS)
        except (ConfinementError, Stalled) as ended:
            raise CliError(ExitCode.FAILED, f"{form.name} could not be read: {ended}") from None
        if (folder / _REFUSED).is_file():
            reasons = json.loads((folder / _REFUSED).read_bytes())
            raise CliError(ExitCode.USAGE, f"{form.name}: {reasons[0]}", "\n".join(reasons[1:]))
        return await asyncio.to_thread((folder / _DONE).read_bytes)


def prepare() -> None:
    """What a call needs is imported with this module."""


def _find(folder: Path) -> None:
    _tell(folder, lambda form: json.dumps([asdict(field) for field in find_fields(form)]).encode())


def _fill(folder: Path) -> None:
    _tell(folder, lambda form: fill(form, json.loads((folder / _ANSWERS).read_bytes())))


def _tell(folder: Path, work: Callable[[bytes], bytes]) -> None:
    try:
        (folder / _DONE).write_bytes(work((folder / _FORM).read_bytes()))
    except FormError as refusal:
        reasons = refusal.reasons if isinstance(refusal, AnswersRefused) else (str(refusal),)
        (folder / _REFUSED).write_text(json.dumps(reasons), encoding="utf-8")


def _field(told: dict[str, Any]) -> Field:
    limit = told["limit"]
    return Field(**{
        **told,
        "kind": Kind(told["kind"]),
        "allowed": tuple(told["allowed"]),
        "suggested": tuple(told["suggested"]),
        "limit": limit and Limit(limit["most"], Unit(limit["unit"])),
    })  # fmt: skip
