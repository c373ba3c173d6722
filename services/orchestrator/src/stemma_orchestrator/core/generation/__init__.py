"""Generation: a section is written by its graph once all that it rests on is settled, and validated."""

from stemma_contracts import subjects
from stemma_document.job_ids import GENERATE, RESUME
from stemma_document.state import Generating, Resuming, Validating

from stemma_orchestrator.core.hooks import Feature

from .decide import Retry, all_settled, decide, held_up_by, is_met
from .work import GENERATING, RESUMING, VALIDATING

FEATURE = Feature[Retry](
    commands=(Retry,),
    decide=decide,
    phases={Generating: GENERATING, Resuming: RESUMING, Validating: VALIDATING},
    job_owners={GENERATE: subjects.GENERATION, RESUME: subjects.GENERATION},
    may_start=is_met,
    may_end=all_settled,
)

__all__ = ["FEATURE", "Retry", "held_up_by"]
