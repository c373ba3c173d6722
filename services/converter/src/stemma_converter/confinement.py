"""Programs of a conversion, confined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from stemma_confinement import Limits, OutOfTime
from stemma_confinement.programs import run_program

from .errors import ConversionError


async def run_confined(
    what: str, command: Sequence[str | Path], data: bytes, *, folder: Path, limits: Limits, address_space: bool = False
) -> bytes:
    """Run a program in ``folder`` with ``data`` as its input and return its output.

    ``address_space`` applies the memory limit to all that the program maps; a program that reserves more
    than it uses limits itself. Raises `ConversionError`: ``timeout`` or ``<what>_failed``. There is no clock: the call
    that this is part of has one, and ends as `Stalled`, which is tried again.
    """
    counted: Literal["addresses", "own"] = "addresses" if address_space else "own"
    try:
        finished = await run_program(command, data, folder=folder, limits=limits, memory=counted)
    except OutOfTime:
        raise ConversionError("timeout", what, why=f"{what} took more than {limits.seconds:g} s of CPU time") from None
    if finished.status != 0:
        raise ConversionError(f"{what}_failed", what, finished.status)
    return finished.stdout
