"""What was read of the inputs and of the brief, from the artifacts; of all together no more than a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.media import READ
from stemma_contracts.v1.inputs import BRIEF, Anchor, Anchors
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef, InputFile

READ_CHARACTERS = 1024 * 1024
"""Of all inputs together, which is a second of work; of what is beyond, any part may be used, and none is cited."""
BY_LINE = frozenset({"text/csv", "application/json"})
"""What is no Markdown: each line stands for itself."""


@dataclass(frozen=True)
class Given:
    """An input; ``text`` is None of one that is beyond the bound, or no text."""

    input_id: str
    name: str
    ref: ArtifactRef
    anchored: ArtifactRef | None = None
    text: str | None = None
    anchors: tuple[Anchor, ...] = ()


async def given_texts(job: ValidateDraft, artifacts: ArtifactStore) -> tuple[Given, ...]:
    """The brief and the inputs of a version of a section; none of what is no such version, or not grounded."""
    if job.brief is None or job.session_id is not None:
        return ()
    brief = job.brief_file or InputFile(name=job.brief.name, artifact=job.brief)
    given = [Given(BRIEF, brief.name, job.brief, brief.anchors), *_inputs(job)]
    return tuple([await _read(job, one, artifacts) if fits else one for one, fits in _fitting(given)])


def _inputs(job: ValidateDraft) -> Iterator[Given]:
    for item in job.inputs:
        if item.input_id is not None and item.artifact.media_type in READ:
            yield Given(item.input_id, item.name, item.artifact, item.anchors)


def _fitting(given: Iterable[Given]) -> Iterator[tuple[Given, bool]]:
    left = READ_CHARACTERS
    for one in given:
        left -= one.ref.size
        yield one, left >= 0


async def _read(job: ValidateDraft, one: Given, artifacts: ArtifactStore) -> Given:
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, one.ref)
        return replace(one, text=data.decode("utf-8-sig"), anchors=await _anchors(job, one, artifacts))
    except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
        return one


async def _anchors(job: ValidateDraft, one: Given, artifacts: ArtifactStore) -> tuple[Anchor, ...]:
    if one.anchored is None:
        return ()
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, one.anchored)
        return Anchors.model_validate_json(data).anchors
    except (ArtifactMissing, ArtifactCorrupt, ValidationError):
        return ()
