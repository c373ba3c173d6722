"""What a paused graph needs: a person answers a question, a service gets a job for the rest."""

from stemma_document.state import NeedDispatched

from stemma_orchestrator.core.hooks import Feature

from .decide import Answer, decide
from .work import DISPATCHED

FEATURE = Feature[Answer](commands=(Answer,), decide=decide, phases={NeedDispatched: DISPATCHED})

__all__ = ["FEATURE", "Answer"]
