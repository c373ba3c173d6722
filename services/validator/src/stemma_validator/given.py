"""The texts of the inputs and of the brief, up to a bound, and which of them the draft rests on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from stemma_confinement import Limits
from stemma_contracts.media import READ
from stemma_contracts.v1.inputs import BRIEF, MOST_USED_PARTS, Anchor, Anchors, UsedInput
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_evidence import Uses

from .confined import SAFE_CHARACTERS, Check, checked
from .errors import ValidationOutOfMemory, ValidationTimeout
from .files import Files

READ_CHARACTERS = 1024 * 1024
"""Of all inputs together, which is a second of work; of what is beyond, any part may be used, and none is cited."""
BY_LINE = frozenset({"text/csv", "application/json"})
"""What is no Markdown: each line stands for itself."""
THREAD_CHARACTERS = 128 * 1024
"""Up to here the worst texts take half a second."""


@dataclass(frozen=True)
class Given:
    """An input; ``text`` is None of one that is beyond the bound, or no text."""

    input_id: str
    name: str
    ref: ArtifactRef
    anchored: ArtifactRef | None = None
    text: str | None = None
    anchors: tuple[Anchor, ...] = ()


async def given_texts(job: ValidateDraft, files: Files) -> tuple[Given, ...]:
    """The brief and the inputs of a version of a section; none of what is no such version, or not grounded."""
    if job.brief is None or job.session_id is not None:
        return ()
    brief = job.brief_file or InputFile(name=job.brief.name, artifact=job.brief)
    given = [Given(BRIEF, brief.name, job.brief, brief.anchors), *_inputs(job)]
    return tuple([await _read(one, files) if fits else one for one, fits in _fitting(given)])


def _inputs(job: ValidateDraft) -> Iterator[Given]:
    for item in job.inputs:
        if item.input_id is not None and item.artifact.media_type in READ:
            yield Given(item.input_id, item.name, item.artifact, item.anchors)


def _fitting(given: Iterable[Given]) -> Iterator[tuple[Given, bool]]:
    left = READ_CHARACTERS
    for one in given:
        left -= one.ref.size
        yield one, left >= 0


async def _read(one: Given, files: Files) -> Given:
    if (text := await files.text(one.ref)) is None:
        return one
    found = await files.body(one.anchored, Anchors)
    return replace(one, text=text, anchors=found.anchors if found else ())


class UsesCheck(Check[tuple[UsedInput, ...]]):
    name: ClassVar = "uses check"

    text: str
    given: tuple[Given, ...]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(one.text or "") for one in self.given)

    @property
    def unknown(self) -> int:
        characters = self.characters
        return characters if characters > THREAD_CHARACTERS else min(characters, SAFE_CHARACTERS)

    def run(self) -> tuple[UsedInput, ...]:
        uses, left = Uses(self.text), MOST_USED_PARTS
        found = list[UsedInput]()
        for one in self.given:
            parts = uses.of(one.text, by_line=one.ref.media_type in BY_LINE) if one.text is not None else ()
            whole = one.text is None or len(parts) > left
            left -= 0 if whole else len(parts)
            if whole or parts:
                found.append(UsedInput(input_id=one.input_id, parts=() if whole else parts, whole=whole))
        return tuple(found)


async def used_inputs(given: Sequence[Given], text: str, limits: Limits) -> tuple[UsedInput, ...] | None:
    """The inputs that a version of a section rests on, all of them past the limits; None if there are none."""
    if not given:
        return None
    try:
        return await checked(UsesCheck(text=text, given=tuple(replace(one, anchors=()) for one in given)), limits)
    except (ValidationTimeout, ValidationOutOfMemory):
        return tuple(UsedInput(input_id=one.input_id, whole=True) for one in given)
