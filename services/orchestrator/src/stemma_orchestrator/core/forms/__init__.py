"""The buyer's forms: a person confirms the fields that were found in one, and a section of its own answers them."""

from stemma_orchestrator.core.hooks import Feature

from .decide import Confirm, decide

FEATURE = Feature[Confirm](commands=(Confirm,), decide=decide)

__all__ = ["FEATURE", "Confirm"]
