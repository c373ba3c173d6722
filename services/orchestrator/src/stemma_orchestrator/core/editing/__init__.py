"""Editing: people write, have edited, keep, regenerate and restore any section at any time."""

from stemma_contracts import subjects
from stemma_document.job_ids import REVISE
from stemma_document.state import Revising

from stemma_orchestrator.core.hooks import Feature

from .decide import Edit, EditCommand, Keep, Regenerate, Restore, Write, change, decide, kept
from .work import REVISING, revision

FEATURE = Feature[EditCommand](
    commands=(Write, Edit, Keep, Regenerate, Restore),
    decide=decide,
    phases={Revising: REVISING},
    job_owners={REVISE: subjects.EDITOR},
)

__all__ = [
    "FEATURE",
    "Edit",
    "EditCommand",
    "Keep",
    "Regenerate",
    "Restore",
    "Write",
    "change",
    "kept",
    "revision",
]
