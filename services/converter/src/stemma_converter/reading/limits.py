"""How much of a file is read."""

from __future__ import annotations

from dataclasses import dataclass

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Bounds of reading one file. Beyond the first two it is refused, beyond the others the rest is left out and told.

    ``unpacked_bytes`` is what all parts of a package have together, looked at before any is unpacked.
    ``recognised_pages`` is how many pages without text are recognised, 0 for none, and ``recognition_seconds`` the time
    for all of them; ``languages`` are those that tesseract is to expect, in its own names.
    """

    file_bytes: int = 100 * _MEGABYTE
    unpacked_bytes: int = 300 * _MEGABYTE
    characters: int = 5_000_000
    pages: int = 2000
    cells: int = 500_000
    images: int = 200
    image_bytes: int = 20 * _MEGABYTE
    image_pixels: int = 40_000_000
    children: int = 100
    recognised_pages: int = 200
    languages: tuple[str, ...] = ("eng",)
    recognition_seconds: float = 200
