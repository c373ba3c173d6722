"""Review: a person approves a draft or has it revised."""

from stemma_orchestrator.core.hooks import Feature

from .decide import Approve, ReviewCommand, Revise, decide

FEATURE = Feature[ReviewCommand](commands=(Approve, Revise), decide=decide)

__all__ = ["FEATURE", "Approve", "Revise"]
