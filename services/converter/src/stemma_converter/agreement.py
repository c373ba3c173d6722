"""Whether the sections of an export state the same facts; called in a process of its own, after the file is written."""

from itertools import islice
from pathlib import Path

from pydantic import BaseModel
from stemma_contracts.v1.exports import MOST_CONTRADICTIONS, Contradiction, ExportRemark, StatedFact
from stemma_contracts.v1.grounding import GroundingReport
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_evidence import Disagreement, Fact, disagreements, read
from stemma_languages import DEFAULT, primary

from .source import Staged, decode

MOST_COMPARED = 500_000
"""Characters of all sections together: reading takes some seconds for each million."""
MOST_TOLD = 150


class Compared(BaseModel):
    """What two sections state differently, and a remark if sections were not looked at."""

    contradictions: tuple[Contradiction, ...] = ()
    remarks: tuple[ExportRemark, ...] = ()


def not_compared(count: int) -> Compared:
    """What is known where so many sections were not looked at."""
    return Compared(remarks=(ExportRemark(code="not_compared", count=count),) if count else ())


def compared(folder: Path, job: ConvertDocument) -> Compared:
    """The facts that two sections state differently, of those that the comparison has room for."""
    artifacts = Staged(folder)
    left, texts, grounding, passed = MOST_COMPARED, [], dict[str, GroundingReport](), 0
    spoken = primary(job.document.language or DEFAULT)
    for one in job.sections:
        text = decode(artifacts.get(one.draft)) if one.draft and one.draft.size <= left else ""
        if one.draft and one.draft.size > left:
            passed += 1
        elif text:
            left -= len(text)
            texts.append(read(text, "text/markdown", spoken, standing="section", name=one.section_id))
            grounding[one.section_id] = artifacts.model(one.grounding, GroundingReport) or GroundingReport()
    found = tuple(_contradiction(each, grounding) for each in islice(disagreements(texts), MOST_CONTRADICTIONS))
    return Compared(contradictions=found, remarks=not_compared(passed).remarks)


def _contradiction(found: Disagreement, grounding: dict[str, GroundingReport]) -> Contradiction:
    about = ", ".join(sorted(found.one.about & found.other.about))[:MOST_TOLD]
    one, other = (_stated(fact, grounding[fact.where]) for fact in (found.one, found.other))
    return Contradiction(kind=found.one.kind, about=about, one=one, other=other)


def _stated(fact: Fact, grounding: GroundingReport) -> StatedFact:
    stated = fact.claim.text if fact.claim else fact.text  # the first of a range
    sources = (
        f"{source.name}, {source.place or source.heading or source.line}"
        for claim in grounding.claims
        if claim.line_number == fact.line and claim.text == stated
        for source in claim.sources
        if source.standing == "input"
    )
    text = " ".join(fact.text.split())[:MOST_TOLD]
    return StatedFact(section_id=fact.where, line=fact.line, text=text, source=next(sources, "")[:MOST_TOLD])
