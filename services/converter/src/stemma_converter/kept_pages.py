"""Pages that were set are kept for a while: a DOCX takes their numbers, and the PDF of the same text is often next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from cachetools import LRUCache

from .pages import Pages

MAX_BYTES = 32 * 1024 * 1024


class KeptPages:
    """The pages of the last documents, by the key of what they were made of, at most so many bytes of PDF."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._kept: LRUCache[str, Pages] = LRUCache(max_bytes, getsizeof=lambda pages: len(pages.pdf))

    async def get(self, key: str, make: Callable[[], Awaitable[Pages]]) -> Pages:
        """The pages of a key, made now if they are not there; those without a key are not kept."""
        if (kept := self.known(key)) is not None:
            return kept
        pages = await make()
        self.put(key, pages)
        return pages

    def known(self, key: str) -> Pages | None:
        """The pages of a key, if they are there."""
        return self._kept.get(key)

    def put(self, key: str, pages: Pages) -> None:
        """Keep the pages of a key."""
        if key:
            with suppress(ValueError):  # one that is larger than all that may be kept
                self._kept[key] = pages
