"""Checks beside a section's status: a text that did not come from its graph is linted and evaluated too.

The results are shown and block nothing.
"""

from typing import Any

from stemma_contracts import subjects
from stemma_document.job_ids import EVALUATE, VALIDATE

from stemma_orchestrator.core.hooks import Feature

from .work import validation, work

FEATURE: Feature[Any] = Feature(work=work, job_owners={VALIDATE: subjects.VALIDATOR, EVALUATE: subjects.GENERATION})

__all__ = ["FEATURE", "validation"]
