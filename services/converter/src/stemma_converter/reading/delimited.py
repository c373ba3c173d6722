"""CSV, with whatever separates its values."""

from __future__ import annotations

import csv
import io
from collections import Counter

from .composing import Composer
from .plain_text import text_of
from .ranges import Row, put_table

_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 50
_DECLARED = "sep="


def read_csv(content: bytes, composer: Composer) -> None:
    """The values as one table; what stands in quotes may have several lines."""
    text = text_of(content, composer)
    separator, text = _declared(text)
    csv.field_size_limit(max(composer.limits.characters, 1))
    values = csv.reader(io.StringIO(text), delimiter=separator or separator_of(text))
    put_table(composer, "", [Row(number, row) for number, row in enumerate(values, 1) if any(row)])


def _declared(text: str) -> tuple[str, str]:
    """The separator that a first line ``sep=;`` names, which Excel writes and hides, and the rest of the text."""
    first, _, rest = text.partition("\n")
    if first.lower().startswith(_DECLARED) and len(first.strip()) == len(_DECLARED) + 1:
        return first.strip()[-1], rest
    return "", text


def separator_of(text: str) -> str:
    """The sign that splits most lines into as many values; a comma where none does."""
    return max(_SEPARATORS, key=lambda sign: _evenness(text, sign))


def _evenness(text: str, sign: str) -> tuple[float, int]:
    lines = io.StringIO("\n".join(text.split("\n")[: _SAMPLE_LINES * 4]))
    widths = [len(row) for row in csv.reader(lines, delimiter=sign) if row][:_SAMPLE_LINES]
    if not widths:
        return 0, 0
    width, times = Counter(widths).most_common(1)[0]
    return (times / len(widths) if width > 1 else 0), width
