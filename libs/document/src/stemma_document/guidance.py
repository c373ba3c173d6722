"""What a person said about the next writing of a section, whatever the section is doing."""

from __future__ import annotations

from typing import assert_never

from stemma_contracts.v1.references import ArtifactRef

from .state import (
    Approved,
    AwaitingAnswer,
    AwaitingReview,
    Edited,
    Failed,
    Generating,
    NeedDispatched,
    Phase,
    Queued,
    Resuming,
    Revising,
    Validating,
)


def guidance_of(phase: Phase) -> ArtifactRef | None:
    """The guidance that a section is, or is to be, written by."""
    match phase:
        case Queued() | Generating() | Failed():
            return phase.guidance
        case AwaitingAnswer() | NeedDispatched() | Resuming():
            return phase.generating.guidance
        case Validating():
            return phase.generating.guidance if phase.generating else None
        case Revising():
            return guidance_of(phase.before)
        case AwaitingReview() | Approved() | Edited():
            return None
        case _:
            assert_never(phase)
