"""The artifacts of a job in its folder, and the Markdown of a draft before it is parsed."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from stemma_artifacts.store import ArtifactMissing
from stemma_contracts.shown import shown
from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language
from stemma_markdown import Block, Document, Footnote, Leaf, split, with_footnotes

from .pandoc import ConversionError

STEP = "step"
MAX_SOURCE_BYTES = 16 * 1024 * 1024
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
M = TypeVar("M", bound=BaseModel)


class Staged:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, ref: ArtifactRef, data: bytes) -> None:
        (self._folder / ref.digest).write_bytes(data)

    def say(self, step: str) -> None:
        """Leave in words what the conversion is at, for the case that it is ended."""
        (self._folder / STEP).write_text(step, encoding="utf-8")

    def has(self, ref: ArtifactRef) -> bool:
        return (self._folder / ref.digest).is_file()

    def get(self, ref: ArtifactRef) -> bytes:
        try:
            return (self._folder / ref.digest).read_bytes()
        except FileNotFoundError:
            raise ArtifactMissing(ref.digest) from None

    def model(self, ref: ArtifactRef | None, kind: type[M]) -> M | None:
        """What an artifact holds; None if it is not there or cannot be read."""
        try:
            return kind.model_validate_json(self.get(ref)) if ref else None
        except (ArtifactMissing, ValidationError):
            return None


def decode(data: bytes) -> str:
    """Text in UTF-8 without byte order mark, control characters and foreign line ends.

    Raises `ConversionError` for more than 16 MiB.
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise ConversionError("source_too_large")
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, limit: int = 300) -> str:
    """A title: one line of printable text, with the marks of direction and the joiners that belong to it."""
    kinds = ((c, unicodedata.category(c)) for c in shown(text))
    printable = "".join(c if kind == "Cf" or kind[0] != "C" else " " for c, kind in kinds)
    return " ".join(printable.split())[:limit].rstrip()


def flatten_footnotes(text: str) -> str:
    """Escape references to footnotes inside footnotes: resolving them takes exponential time."""
    leaves = (token for token in Document(text).tokens if isinstance(token, Leaf) and token.in_footnote)
    marks = [inline.start for leaf in leaves for inline in leaf.inlines if inline.kind == "footnote"]
    return "\\".join(text[start:end] for start, end in pairwise([0, *marks, len(text)]))


_ITEM = re.compile(r"(?m)^( {0,3})([0-9]{1,9})[.)](?=[ \t])")


def with_own_numbers(text: str) -> str:
    """Make an item whose number skips others begin a list of its own: it would be counted on otherwise."""
    marks = [mark for block in split(text) if block.kind == "list" for mark in _skipping(block)]
    return "<!-- -->\n\n".join(text[start:end] for start, end in pairwise([0, *marks, len(text)]))


def _skipping(block: Block) -> Iterator[int]:
    """Where the items of a list begin that have a higher number than comes next."""
    items = list(_ITEM.finditer(block.text))
    last = int(items[0][2]) if items else 0
    for item in (item for item in items[1:] if item[1] == items[0][1]):
        if int(item[2]) > last + 1:
            yield block.start + item.start()
        last = max(last + 1, int(item[2]))


def grounding_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    return (section.grounding for section in job.sections if section.grounding)


def cited_files(reports: Iterable[GroundingReport]) -> frozenset[str]:
    return frozenset(place.name for report in reports for cited in report.cited for place in cited.places)


def without_places(text: str, files: Collection[str]) -> str:
    """A text without the places in brackets that name our files, "(company.md, Staff)": its reader has none of them."""
    if not files:
        return text
    names = "|".join(
        "".join(rf"\\?{re.escape(char)}" for char in name) for name in sorted(files, key=len, reverse=True)
    )
    behind = r"[,;:](?: \w{1,2}\\?\) )?(?:[^()\n]|\([^()\n]{0,100}\)){1,300}"
    return re.sub(rf"(?<![ \t])[ \t]*(?<!\])\((?:{names})(?:{behind})?\)", "", text)


def with_citations(text: str, draft: ArtifactRef, found: GroundingReport, spoken: Language) -> str:
    """A draft with a footnote for each sentence that rests on inputs; as it is if the report is not about it."""
    if found.draft != draft.digest:
        return text
    return with_footnotes(text, [Footnote(one.start, one.end, _cited_words(one, spoken)) for one in found.cited])


def _cited_words(cited: CitedText, spoken: Language) -> str:
    return "; ".join(spoken.citation(place.name, place.kind, place.label) for place in cited.places)
