"""Decisions about several sections at once: about all of them, each after those that it rests on, or about none."""

from stemma_orchestrator.core.hooks import Feature

from .decide import KeepSeveral, RegenerateSeveral, Several, decide

FEATURE = Feature[Several](commands=(KeepSeveral, RegenerateSeveral), decide=decide)

__all__ = ["FEATURE", "KeepSeveral", "RegenerateSeveral"]
