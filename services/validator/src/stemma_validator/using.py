"""Which parts of the inputs a draft rests on, so that it is looked at again when just these change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.media import READ
from stemma_contracts.v1.inputs import BRIEF, MOST_USED_PARTS, UsedInput
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_evidence import Uses

READ_CHARACTERS = 1024 * 1024
"""Of all inputs together, which is half a second of work; of what is beyond, any part may be used."""
BY_LINE = frozenset({"text/csv", "application/json"})


@dataclass(frozen=True)
class _Given:
    input_id: str
    ref: ArtifactRef
    text: str | None = None


async def used_inputs(job: ValidateDraft, text: str, artifacts: ArtifactStore) -> tuple[UsedInput, ...] | None:
    """The inputs that a version of a section rests on; None of what is no such version, or not grounded."""
    if job.brief is None or job.session_id is not None:
        return None
    given = [await _read(job, one, artifacts) for one in _fitting(_given(job))]
    return await asyncio.to_thread(_used, text, given)


def _given(job: ValidateDraft) -> Iterator[_Given]:
    assert job.brief is not None
    yield _Given(BRIEF, job.brief)
    for item in job.inputs:
        if item.input_id is not None and item.artifact.media_type in READ:
            yield _Given(item.input_id, item.artifact)


def _fitting(given: Iterable[_Given]) -> Iterator[tuple[_Given, bool]]:
    left = READ_CHARACTERS
    for one in given:
        left -= one.ref.size
        yield one, left >= 0


async def _read(job: ValidateDraft, one: tuple[_Given, bool], artifacts: ArtifactStore) -> _Given:
    given, fits = one
    if not fits:
        return given
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, given.ref)
        return _Given(given.input_id, given.ref, data.decode("utf-8-sig"))
    except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
        return given


def _used(draft: str, given: Sequence[_Given]) -> tuple[UsedInput, ...]:
    uses, left = Uses(draft), MOST_USED_PARTS
    found = list[UsedInput]()
    for one in given:
        parts = uses.of(one.text, by_line=one.ref.media_type in BY_LINE) if one.text is not None else ()
        whole = one.text is None or len(parts) > left
        left -= 0 if whole else len(parts)
        if whole or parts:
            found.append(UsedInput(input_id=one.input_id, parts=() if whole else parts, whole=whole))
    return tuple(found)
