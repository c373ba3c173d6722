"""Forms of buyers, read and filled in a process with limits, because they are files of strangers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_forms import AnswersRefused, Field, FormError, fill, find_fields

from .exit_codes import CliError, ExitCode

LIMITS = Limits(seconds=60, memory_mb=1536)
_FORM, _FILLED = "form", "filled"


@dataclass(frozen=True)
class _Done:
    """The fields of a form, or why there are none, or none of the answers is written."""

    fields: tuple[Field, ...] = ()
    reasons: tuple[str, ...] = ()


async def fields_of(form: Path) -> tuple[Field, ...]:
    """The fields of a form; raises `CliError` with what is wrong with the file."""
    with TemporaryDirectory(prefix="stemma-") as folder:
        return (await _confined(Path(folder), form, _find)).fields


async def filled(form: Path, answers: Mapping[str, str]) -> bytes:
    """The form with answers by the ids of fields; raises `CliError` with all that it does not accept."""
    with TemporaryDirectory(prefix="stemma-") as folder:
        await _confined(Path(folder), form, _fill, answers)
        return await asyncio.to_thread((Path(folder) / _FILLED).read_bytes)


async def _confined(folder: Path, form: Path, call: Callable[..., _Done], *given: object) -> _Done:
    (folder / _FORM).write_bytes(await asyncio.to_thread(form.read_bytes))
    try:
        done = await confined_in(folder, Prepared(prepare), LIMITS, call, *given)
    except (ConfinementError, Stalled) as ended:
        raise CliError(ExitCode.FAILED, f"{form.name} could not be read: {ended}") from None
    if done.reasons:
        raise CliError(ExitCode.USAGE, f"{form.name}: {done.reasons[0]}", "\n".join(done.reasons[1:]))
    return done


def prepare() -> None:
    """What a call needs is imported with this module."""


def _find(folder: Path) -> _Done:
    try:
        return _Done(fields=find_fields((folder / _FORM).read_bytes()))
    except FormError as refusal:
        return _Done(reasons=(str(refusal),))


def _fill(folder: Path, answers: dict[str, str]) -> _Done:
    try:
        (folder / _FILLED).write_bytes(fill((folder / _FORM).read_bytes(), answers))
    except FormError as refusal:
        return _Done(reasons=refusal.reasons if isinstance(refusal, AnswersRefused) else (str(refusal),))
    return _Done()
