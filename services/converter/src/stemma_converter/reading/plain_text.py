"""Text and Markdown as they are, and CSV as a table."""

import csv
import io
from collections import Counter

from stemma_markdown import Document, escaping

from .composing import PATH, Composer
from .kinds import decoded
from .result import Unreadable
from .workbook import Row, put_table

_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 50
_DECLARED = "sep="


def read_text(content: bytes, composer: Composer) -> None:
    """Plain text; each paragraph is a block."""
    for paragraph in escaping.clean(text_of(content, composer)).split("\n\n"):
        if block := paragraph.strip("\n").rstrip():
            composer.block(block)


def read_markdown(content: bytes, composer: Composer) -> None:
    text = escaping.clean(text_of(content, composer)).strip("\n")
    document = Document(text)
    composer.block(text)
    path: list[tuple[int, str]] = []
    for heading in document.headings:
        path = [item for item in path if item[0] < heading.level]
        path.append((heading.level, heading.text))
        composer.anchor("heading", PATH.join(label for _, label in path), at=document.line_start(heading.start))


def text_of(content: bytes, composer: Composer) -> str:
    """The text, and a word about its encoding if it is not Unicode; raises `Unreadable`."""
    found = decoded(content)
    if found is None:
        raise Unreadable("unknown")
    text, encoding = found
    if not encoding.startswith("utf"):
        composer.warn("encoding", "", f"The text is not in Unicode; it was read as {encoding}.")
    return text


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
