"""Reading text that was made to cost most: time, which the tests do not measure; they count calls."""

from __future__ import annotations

import time

from bench_report import row, title
from stemma_evidence import claims
from stemma_testkit.hostile import PIECES, hostile

CHARACTERS = 100_000
QUICK_CHARACTERS = 20_000
GROWTH = 2.5


async def reading(quick: bool) -> None:
    """The claims of every hostile text, the dearest ones told."""
    length = QUICK_CHARACTERS if quick else CHARACTERS
    title(f"claims of hostile texts of {length:,} characters")
    _seconds("A ", 1_000)
    taken = sorted(((_seconds(piece, length), piece) for piece in PIECES), reverse=True)
    for seconds, piece in taken[:5]:
        growth = seconds / max(_seconds(piece, length // 2), 1e-6)
        row(f"{piece!r} again and again", f"{seconds:.2f} s", f"{growth:.1f} times that of half; under {GROWTH}")


def _seconds(piece: str, length: int) -> float:
    text = hostile(piece, length)
    started = time.process_time()
    claims(text, "en")
    return time.process_time() - started
