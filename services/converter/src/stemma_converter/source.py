"""The Markdown of a draft before it is parsed, with footnotes for the inputs that it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from pydantic import ValidationError
from stemma_contracts.shown import shown
from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language
from stemma_markdown import Document, Footnote, Leaf, with_footnotes

from .errors import ConversionError

MAX_SOURCE_BYTES = 16 * 1024 * 1024
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


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


def grounding_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    return (section.grounding for section in job.sections if section.grounding) if job.citations else iter(())


def with_citations(text: str, draft: ArtifactRef, report: bytes, spoken: Language) -> str:
    """A draft with a footnote for each sentence that rests on inputs; as it is if the report is not about it."""
    try:
        found = GroundingReport.model_validate_json(report)
    except ValidationError:
        return text
    if found.draft != draft.digest:
        return text
    return with_footnotes(text, [Footnote(one.start, one.end, _cited_words(one, spoken)) for one in found.cited])


def _cited_words(cited: CitedText, spoken: Language) -> str:
    return "; ".join(spoken.citation(place.name, place.kind, place.label) for place in cited.places)
