"""Exports of the document in some format, also of what changed between versions. They are always possible."""

from stemma_contracts import subjects
from stemma_document.job_ids import CONVERT

from stemma_orchestrator.core.hooks import Feature

from .decide import Export, decide
from .work import work

FEATURE = Feature[Export](commands=(Export,), decide=decide, work=work, job_owners={CONVERT: subjects.CONVERTER})

__all__ = ["FEATURE", "Export"]
