"""Documents as a whole: how one begins from a blueprint, and that it is paused, resumed and cancelled."""

from stemma_orchestrator.core.hooks import Feature

from .decide import Cancel, Create, DocumentCommand, Pause, Resume, begin, decide

FEATURE = Feature[DocumentCommand](commands=(Create, Pause, Resume, Cancel), decide=decide)

__all__ = ["FEATURE", "Cancel", "Create", "Pause", "Resume", "begin"]
