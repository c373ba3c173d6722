"""What the bench prints: one table row a figure, as it is found."""

from __future__ import annotations

import os
import time

_SPIN = 300_000


def title(text: str) -> None:
    """A heading; with it how busy the machine is, which every figure depends on."""
    load, _, _ = os.getloadavg()
    print(f"\n{text}  [load {load:.1f}; {spin_ms():.0f} ms for a fixed piece of Python, about 11 on an idle machine]")


def row(name: str, value: str, target: str = "") -> None:
    """A figure with its unit, and what it should be."""
    print(f"  {name:58} {value:>24}  {target}", flush=True)


def spin_ms() -> float:
    """Milliseconds of wall time for a fixed piece of work."""
    started, total = time.perf_counter(), 0
    for number in range(_SPIN):
        total += number
    return (time.perf_counter() - started) * 1000


def by_name(values: dict[str, float], digits: int = 0) -> str:
    """Figures by process or stream on one line."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items() if value >= 10**-digits)
