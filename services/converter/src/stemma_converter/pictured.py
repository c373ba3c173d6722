"""Which images a text may show, told without parsing it: rather one too many than one too few."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from urllib.parse import quote, unquote

from stemma_contracts.v1.references import InputFile


def may_show(texts: Sequence[bytes], assets: Sequence[InputFile]) -> list[InputFile]:
    """The assets whose file name stands in one of the texts, however it is escaped."""
    written = "\n".join(text.decode("utf-8", errors="replace") for text in texts)
    spellings = [written, plain := unescape(written).replace("\\", ""), unquote(plain)]
    return [asset for asset in assets if any(name in text for text in spellings for name in _names(asset.name))]


def _names(name: str) -> tuple[str, str]:
    last = name.rpartition("/")[2]
    return last, quote(last)
