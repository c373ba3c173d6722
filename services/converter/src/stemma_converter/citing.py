"""The places of inputs that sentences rest on, as footnotes of a draft."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError
from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef
from stemma_languages import Language
from stemma_markdown import Footnote, with_footnotes


def grounding_refs(job: ConvertDocument) -> Iterator[ArtifactRef]:
    """Where the reports lie that say what to cite."""
    return (section.grounding for section in job.sections if section.grounding) if job.citations else iter(())


def with_citations(text: str, draft: ArtifactRef, report: bytes, spoken: Language) -> str:
    """A draft with a footnote for each sentence that rests on inputs; as it is if the report is not about it."""
    try:
        found = GroundingReport.model_validate_json(report)
    except ValidationError:
        return text
    if found.draft != draft.digest:
        return text
    return with_footnotes(text, [Footnote(one.start, one.end, _words(one, spoken)) for one in found.cited])


def _words(cited: CitedText, spoken: Language) -> str:
    return "; ".join(spoken.citation(place.name, place.kind, place.label) for place in cited.places)
