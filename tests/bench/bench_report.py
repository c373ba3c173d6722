"""What the bench prints: one table row a figure, as it is found."""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

_SPIN = 300_000
_IDLE_MS = 11.0
"""What that took when targets of seconds were set (24 Nov 2026)."""
missed: list[str] = []
"""Targets that were missed by more than the noise of their own measurement: the bench fails then."""


_MARK = "<!-- by make bench -->"
_printed: list[str] = []


def title(text: str) -> None:
    """A heading; with it how busy the machine is, which every figure depends on."""
    load, _, _ = os.getloadavg()
    spin = f"{spin_ms():.0f} ms for a fixed piece of Python, {_IDLE_MS:.0f} when targets were set"
    print(f"\n{text}  [load {load:.1f}; {spin}]")
    _printed.append(f"| **{text}**, load {load:.1f} | | |")


def row(name: str, value: str, target: str = "") -> None:
    """A figure with its unit, and what it should be."""
    print(f"  {name:58} {value:>24}  {target}", flush=True)
    _printed.append(f"| {name} | {value} | {target} |")


def write_page(page: Path) -> None:
    """Put what was printed between the two marks of a page."""
    before, _, after = page.read_text(encoding="utf-8").split(_MARK)
    found = f"{os.cpu_count()} cores, {datetime.now(UTC):%d %b %Y}"
    table = "\n".join([f"| {found} | figure | target |", "|---|---|---|", *_printed])
    page.write_text(f"{before}{_MARK}\n\n{table}\n\n{_MARK}{after}", encoding="utf-8")


def target(name: str, value: float, at_most: float, unit: str = "", noise: float = 0.0) -> None:
    """A figure that decides whether the bench fails; ``noise`` is how much it differs from one time to the next."""
    holds = value <= at_most * (1 + noise)
    if not holds:
        missed.append(name)
    allowed = f"at most {at_most:.3g}{unit}" + (f", and {noise:.0%} of noise" if noise else "")
    row(name, f"{value:.3g}{unit}", f"{allowed}: {'holds' if holds else 'MISSED'}")


def spread(values: Sequence[float]) -> float:
    """By which part the largest of some values that should be alike is larger than the smallest; 0 of a single one."""
    return max(values) / min(values) - 1


def spin_ms() -> float:
    """Milliseconds of wall time for a fixed piece of work."""
    started, total = time.perf_counter(), 0
    for number in range(_SPIN):
        total += number
    return (time.perf_counter() - started) * 1000


def slowness() -> tuple[float, float]:
    """How many times as long this machine takes now as when targets of seconds were set, and how much that varies."""
    spins = [spin_ms() for _ in range(5)]
    return median(spins) / _IDLE_MS, spread(sorted(spins)[:4])


def by_name(values: dict[str, float], digits: int = 0) -> str:
    """Figures by process or stream on one line."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items() if value >= 10**-digits)
